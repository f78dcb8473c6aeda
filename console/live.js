// A live list: the newest entry first, updated by long polling.

import { control, isAbandoned } from "./api.js";
import { announce, h, notice, put, walk } from "./dom.js";
import { more } from "./paging.js";
import { replace } from "./route.js";

/** Rows that are kept; older ones can be loaded again. */
const KEPT = 300;
const PAGE = 50;
/** Seconds that a request waits for something new. */
const WAIT = 25;
const SHORT_WAIT = 1;
/** The delay after a failure, in milliseconds. */
const REST = 3000;

export class LiveList {
  /**
   * @param {object} options
   * @param {string} options.base the path of the list in the control API
   * @param {(entry: object) => Node} options.row a link with the class `row`
   * @param {string} options.empty what to say while there is nothing
   * @param {(entry: object) => boolean} [options.unsettled] whether an entry is going to change
   * @param {boolean} [options.paged] whether older entries can be loaded
   */
  constructor({ base, row, empty, unsettled = () => false, paged = true }) {
    this.base = base;
    this.row = row;
    this.empty = empty;
    this.unsettled = unsettled;
    this.paged = paged;
    this.query = "";
    this.paused = false;
    this.rows = h("ol", { "aria-live": "off" });
    this.foot = h("div");
    this.element = h("div", {}, this.rows, this.foot);
    walk(this.rows, ".row");
    this.rows.addEventListener("click", (event) => {
      const link = event.target.closest("a.row");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      replace(link.getAttribute("href"));
    });
  }

  /** Loads the first page, with other filters. */
  async start(query = this.query) {
    this.query = query;
    this.leaving?.abort();
    const leaving = (this.leaving = new AbortController());
    const { signal } = leaving;
    try {
      const data = await control(`${this.base}?per_page=${PAGE}${query}`, { signal });
      this.newest = data[0]?.id ?? 0;
      this.waiting = data.some(this.unsettled);
      put(this.rows, this.items(data));
      this.older(data, signal);
    } catch (failure) {
      if (isAbandoned(failure)) return;
      put(this.rows);
      put(this.foot, notice(failure.message, "failure"));
      if (failure.status === 422 || failure.status === 404) return;
    }
    this.await(signal);
  }

  /** The button that loads older entries. */
  older(first, signal) {
    let oldest = first.at(-1)?.id;
    const load = async () => {
      const data = await control(`${this.base}?per_page=${PAGE}&before=${oldest}${this.query}`, { signal });
      this.rows.append(...this.items(data));
      oldest = data.at(-1)?.id;
      this.mark();
      return data.length === PAGE;
    };
    put(this.foot, first.length === 0 && notice(this.empty), this.paged && first.length === PAGE && more("Older", load));
    this.mark();
  }

  /** Long-polls for new entries. */
  async await(signal) {
    while (!signal.aborted && !this.paused) {
      try {
        const wait = this.waiting ? SHORT_WAIT : WAIT;
        this.arrived(await control(`${this.base}?per_page=${PAGE}&after=${this.newest ?? 0}&wait=${wait}${this.query}`, { signal }));
        if (this.waiting) this.refresh(await control(`${this.base}?per_page=${PAGE}${this.query}`, { signal }));
      } catch (failure) {
        if (isAbandoned(failure)) return;
        await new Promise((resolve) => setTimeout(resolve, REST));
      }
    }
  }

  /** Shows the current state of the first page. */
  refresh(entries) {
    this.waiting = entries.some(this.unsettled);
    for (const entry of entries) this.rows.querySelector(`[data-id="${Number(entry.id)}"]`)?.replaceChildren(this.row(entry));
    this.mark();
  }

  arrived(entries) {
    if (entries.length === 0) return;
    if (entries.length === PAGE) {
      // There may be more than one page of new entries.
      this.start();
      return;
    }
    const order = [...entries].sort((one, other) => one.id - other.id);
    this.rows.prepend(...this.items(order.toReversed()));
    this.newest = order.at(-1).id;
    this.waiting ||= entries.some(this.unsettled);
    while (this.rows.childElementCount > KEPT) this.rows.lastElementChild.remove();
    this.foot.querySelector(".empty")?.remove();
    this.mark();
    announce(`${entries.length} new`);
  }

  items(entries) {
    return entries.map((entry) => h("li", { "data-id": Number(entry.id) }, this.row(entry)));
  }

  /** Pauses or resumes; entries that arrived meanwhile appear on resume. */
  pause(paused) {
    this.paused = paused;
    if (paused) this.leaving?.abort();
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
    this.leaving?.abort();
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
