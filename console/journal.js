// The Requests page: the journal, live, with the explanation of each response.

import { control, isAbandoned, isOwn } from "./api.js";
import { h, notice, put } from "./dom.js";
import { milliseconds, tone } from "./format.js";
import { LiveList, pauseButton } from "./live.js";
import { path, to } from "./route.js";

export class JournalPage {
  constructor(main, route) {
    this.world = route.world;
    this.base = `${path("worlds", route.world)}/journal`;
    this.list = new LiveList({ base: this.base, row: (entry) => row(this.world, entry), empty: "No requests yet. Requests of clients appear here.", hidden: (entry) => isOwn(entry.request_id) });
    this.detail = h("section", { class: "detail", "aria-label": "Request details", tabindex: "-1" });
    const tools = h("div", { class: "tools" }, this.filter(), pauseButton(this.list));
    this.split = h("div", { class: "split" }, h("section", { class: "list", "aria-label": "Requests" }, h("h1", { class: "hidden" }, "Requests"), tools, this.list.element), this.detail);
    put(main, this.split);
    this.list.start();
  }

  filter() {
    const field = h("input", { type: "search", "aria-label": "Filter", "data-key": "/", placeholder: "Filter: 404, caller:ci-bot, path:pulls, op:create_ref", spellcheck: "false" });
    let timer;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.list.start(query(field.value)), 200);
    });
    return field;
  }

  async update(route) {
    const [id] = route.rest;
    this.split.classList.toggle("chosen", Boolean(id));
    this.list.mark();
    this.leaving?.abort();
    if (!id) {
      put(this.detail, notice("Select a request to see it with its response and the explanation. Keys: ↑ ↓ to move, / to filter, p to pause, Esc to close."));
      return;
    }
    const { signal } = (this.leaving = new AbortController());
    try {
      const [entry, { show }] = await Promise.all([control(`${this.base}/${encodeURIComponent(id)}`, { signal }), import("./entry.js")]);
      put(this.detail, h("a", { class: "back", href: to(this.world, "journal") }, "← Requests"), show(this.world, entry));
      this.detail.scrollTop = 0;
    } catch (failure) {
      if (!isAbandoned(failure)) put(this.detail, notice(failure.message, "failure"));
    }
  }

  close() {
    this.list.close();
    this.leaving?.abort();
  }
}

const NAMES = { caller: "caller", path: "path", op: "operation", operation: "operation", status: "status", method: "method" };
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * The query for a filter: `404 caller:ci-bot path:pulls`. A number is a status, a
 * method a method, and any other word a part of the path.
 */
export function query(text) {
  const asked = new Map();
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name, value] = /^(\w+):(.+)$/.exec(word) ?? [];
    if (NAMES[name]) asked.set(NAMES[name], value);
    else if (/^\d{3}$/.test(word)) asked.set("status", word);
    else if (METHODS.has(word.toUpperCase())) asked.set("method", word.toUpperCase());
    else asked.set("path", word);
  }
  return [...asked].map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
}

function row(world, entry) {
  return h(
    "a",
    { class: "row", href: to(world, "journal", String(entry.id)) },
    h("span", { class: `badge ${tone(entry.status, entry.fault)}` }, entry.status ?? "—"),
    h("span", { class: "verb" }, entry.method),
    h("span", { class: "what", title: entry.path }, entry.path),
    h("span", { class: "took" }, milliseconds(entry.duration_ms)),
    h("small", {}, [entry.operation, entry.caller, entry.reason].filter(Boolean).join(" · ")),
  );
}
