// A page with a live list on the left and the selected entry on the right.

import { control, isAbort } from "./api.js";
import { h, notice, put } from "./dom.js";
import { parse } from "./filter.js";
import { LiveList } from "./live.js";
import { path, to } from "./route.js";

/** The delay between typing and filtering, in milliseconds. */
const FILTER_DELAY = 200;

export class SplitPage {
  /**
   * @param {HTMLElement} main
   * @param {import("./route.js").Route} route
   * @param {object} options the options of `LiveList`, and:
   * @param {string} options.name the name of the page in URLs and in the control API
   * @param {string} options.title
   * @param {string} options.hint the text shown while nothing is selected
   * @param {string} options.placeholder of the filter
   * @param {import("./filter.js").Grammar} options.grammar of the filter
   */
  constructor(main, route, options) {
    this.world = route.world;
    this.options = options;
    this.base = path("worlds", route.world, options.name);
    this.list = new LiveList({ ...options, base: this.base, row: (entry) => options.row(this.world, entry) });
    this.detail = h("section", { class: "detail", "aria-label": "Details", tabindex: "-1" });
    this.problem = h("p", { class: "problem", role: "status" });
    this.tools = h("div", { class: "tools" }, this.filter(), this.problem);
    this.split = h("div", { class: "split" }, h("section", { class: "list", "aria-label": options.title }, h("h1", { class: "hidden" }, options.title), this.tools, this.list.element), this.detail);
    put(main, this.split);
    this.list.start();
  }

  filter() {
    const field = h("input", { type: "search", "aria-label": "Filter", "data-key": "/", placeholder: this.options.placeholder, spellcheck: "false" });
    let timer;
    const apply = () => {
      const { query, problem, correction } = parse(field.value, this.options.grammar);
      const correct = () => ((field.value = correction), field.focus(), apply());
      put(this.problem, problem, correction && h("button", { type: "button", class: "small", onclick: correct }, "Correct it"));
      if (!problem) this.list.start(query);
    };
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(apply, FILTER_DELAY);
    });
    return field;
  }

  async update(route) {
    const [id] = route.rest;
    this.split.classList.toggle("chosen", Boolean(id));
    this.list.mark();
    this.controller?.abort();
    if (!id) {
      put(this.detail, notice(this.options.hint));
      return;
    }
    const { signal } = (this.controller = new AbortController());
    const address = `${this.base}/${encodeURIComponent(id)}`;
    try {
      const shown = await this.show(await control(address, { signal }), address, signal);
      if (signal.aborted) return;
      put(this.detail, h("a", { class: "back", href: to(this.world, this.options.name) }, `← ${this.options.title}`), shown);
    } catch (failure) {
      if (!isAbort(failure)) put(this.detail, notice(failure.message, "failure"));
    }
  }

  close() {
    this.list.close();
    this.controller?.abort();
  }
}
