// A live list, newest entry first, updated by long polling. It notices changes by other programs
// too: resets, and entries that were removed.

import { control, isAbort } from "./api.js";
import { announce, h, notice, put, enableArrowKeys } from "./dom.js";
import { more } from "./paging.js";
import { replace } from "./route.js";

/** The list drops older rows; the user can load them again. */
const MAX_ROWS = 300;
const PAGE_SIZE = 50;
/** How long a request waits for new entries, in seconds. */
const WAIT = 25;
const SHORT_WAIT = 1;
/** The delay after a failure, in milliseconds. */
const RETRY_DELAY = 3000;

export class LiveList {
  /**
   * @param {object} options
   * @param {string} options.base the path of the list in the control API
   * @param {(entry: object) => Node} options.row a link with the class `row`
   * @param {string} options.empty the text of an empty list
   * @param {string} options.noMatch the text of a list that is empty because of its filter
   * @param {(entry: object) => boolean} [options.isPending] whether an entry will still change
   * @param {boolean} [options.paged] whether older entries can be loaded
   */
  constructor({ base, row, empty, noMatch, isPending = () => false, paged = true }) {
    this.base = base;
    this.row = row;
    this.empty = empty;
    this.noMatch = noMatch;
    this.isPending = isPending;
    this.paged = paged;
    this.query = "";
    this.paused = false;
    this.rows = h("ol", { "aria-live": "off" });
    this.foot = h("div");
    this.element = h("div", {}, this.rows, this.foot);
    enableArrowKeys(this.rows, ".row");
    this.rows.addEventListener("click", (event) => {
      const link = event.target.closest("a.row");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      replace(link.getAttribute("href"));
    });
  }

  /** Loads the first page for a filter. */
  async start(query = this.query) {
    this.query = query;
    this.controller?.abort();
    const controller = (this.controller = new AbortController());
    const { signal } = controller;
    try {
      const data = await control(`${this.base}?per_page=${PAGE_SIZE}${query}`, { signal });
      this.newest = data[0]?.id ?? 0;
      this.waiting = data.some(this.isPending);
      put(this.rows, this.items(data));
      this.showOlderButton(data, signal);
    } catch (failure) {
      if (isAbort(failure)) return;
      put(this.rows);
      put(this.foot, notice(failure.message, "failure"));
      if (failure.status === 422 || failure.status === 404) return;
    }
    this.poll(signal);
  }

  /** Shows the button that loads older entries. */
  showOlderButton(first, signal) {
    let oldest = first.at(-1)?.id;
    const load = async () => {
      const data = await control(`${this.base}?per_page=${PAGE_SIZE}&before=${oldest}${this.query}`, { signal });
      this.rows.append(...this.items(data));
      oldest = data.at(-1)?.id;
      this.mark();
      return data.length === PAGE_SIZE;
    };
    put(this.foot, first.length === 0 && notice(this.query ? this.noMatch : this.empty), this.paged && first.length === PAGE_SIZE && more("Older", load));
    this.mark();
  }

  /** Long-polls for new entries. */
  async poll(signal) {
    while (!signal.aborted && !this.paused) {
      try {
        const wait = this.waiting ? SHORT_WAIT : WAIT;
        const entries = await control(`${this.base}?per_page=${PAGE_SIZE}&after=${this.newest ?? 0}&wait=${wait}${this.query}`, { signal });
        this.addNew(entries);
        if (this.waiting || entries.length === 0) this.refresh(await control(`${this.base}?per_page=${PAGE_SIZE}${this.query}`, { signal }));
      } catch (failure) {
        if (isAbort(failure)) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
      }
    }
  }

  /** Shows the current state of the first page; loads the list again if other entries are in it. */
  refresh(entries) {
    if ((entries[0]?.id ?? 0) < this.newest) {
      this.start();
      return;
    }
    if (!this.waiting) return;
    this.waiting = entries.some(this.isPending);
    const focused = this.rows.contains(document.activeElement) && document.activeElement.closest("li");
    for (const entry of entries) this.rows.querySelector(`[data-id="${Number(entry.id)}"]`)?.replaceChildren(this.row(entry));
    if (focused) focused.querySelector(".row").focus();
    this.mark();
  }

  addNew(entries) {
    if (entries.length === 0) return;
    if (entries.length === PAGE_SIZE) {
      // There may be more than one page of new entries.
      this.start();
      return;
    }
    const order = [...entries].sort((one, other) => one.id - other.id);
    this.rows.prepend(...this.items(order.toReversed()));
    this.newest = order.at(-1).id;
    this.waiting ||= entries.some(this.isPending);
    while (this.rows.childElementCount > MAX_ROWS) this.rows.lastElementChild.remove();
    this.foot.querySelector(".empty")?.remove();
    this.mark();
    announce(`${entries.length} new`);
  }

  items(entries) {
    return entries.map((entry) => h("li", { "data-id": Number(entry.id) }, this.row(entry)));
  }

  /** Pauses or resumes. Resuming loads the entries that arrived in the meantime. */
  pause(paused) {
    this.paused = paused;
    if (paused) this.controller?.abort();
    else this.start();
  }

  /** Marks the selected row. */
  mark() {
    for (const link of this.rows.querySelectorAll(".row")) {
      if (link.getAttribute("href") === location.hash) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  close() {
    this.controller?.abort();
  }
}

/** The button that pauses a list. */
export function pauseButton(list) {
  const button = h("button", { type: "button", "aria-pressed": "false", "data-key": "p", title: "Pause (p)" }, "Pause");
  button.addEventListener("click", () => {
    list.pause(!list.paused);
    button.setAttribute("aria-pressed", list.paused);
    put(button, list.paused ? "Resume" : "Pause");
  });
  return button;
}
