// The Faults page: a form, and the list of rules below it, which follows the server.

import { control, isAbort } from "./api.js";
import { announce, h, notice, put } from "./dom.js";
import { attempt, field, form } from "./dialog.js";
import { count, milliseconds, time, timeOfDay } from "./format.js";
import { path } from "./route.js";

/** The kinds of faults, each with its parameters. */
const EFFECTS = {
  status: ["error status", ["status"]],
  latency: ["latency", ["latency_ms"]],
  drop: ["drop the connection", []],
  truncate: ["truncate the response", []],
  malformed: ["malformed JSON", []],
  secondary_limit: ["secondary rate limit", ["retry_after"]],
  primary_limit: ["rate limit exceeded", ["reset_after"]],
};
const NUMBERS = {
  status: ["Status", { min: 400, max: 599, value: 502 }],
  latency_ms: ["Milliseconds", { min: 1, max: 60000, value: 2000 }],
  retry_after: ["Retry after (seconds)", { min: 0, max: 86400, value: 60 }],
  reset_after: ["Reset after (seconds)", { min: 0, max: 86400, value: 3600 }],
};
const WORDS = {
  status: (value) => ` ${value}`,
  latency_ms: (value) => ` ${milliseconds(value)}`,
  retry_after: (value) => `, retry after ${value} s`,
  reset_after: (value) => `, reset after ${value} s`,
};
/** How often the page reads the rules, in milliseconds. */
const POLL_INTERVAL = 1500;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

export class FaultsPage {
  constructor(main, route) {
    this.base = `${path("worlds", route.world)}/faults`;
    /** The shown rules, by everything that does not change when they are used. */
    this.rows = new Map();
    this.rules = h("ul", { class: "rules", "aria-label": "Rules", hidden: true });
    this.note = h("div", {}, notice("Loading…"));
    this.list = h("div", {}, this.rules, this.note);
    this.reading = setInterval(() => document.visibilityState === "visible" && this.read(), POLL_INTERVAL);
    put(main, h("div", { class: "page" }, h("h1", {}, "Faults"), h("p", { class: "sub" }, "Make requests fail the way they sometimes fail on GitHub. The first matching rule applies; the Requests page shows each use."), this.form(), this.list));
  }

  form() {
    const effect = h("select", { name: "effect" }, Object.entries(EFFECTS).map(([id, [words]]) => h("option", { value: id }, words)));
    const numbers = h("div", { class: "contents" });
    const choose = () => put(numbers, EFFECTS[effect.value][1].map((name) => field(NUMBERS[name][0], h("input", { name, type: "number", required: true, ...NUMBERS[name][1] }))));
    effect.addEventListener("change", choose);
    choose();
    const text = (name, placeholder) => h("input", { name, placeholder, autocomplete: "off", spellcheck: "false" });
    const fields = [
      field("Operation", text("operation", "any, or create_ref")),
      field("Method", h("select", { name: "method" }, h("option", { value: "" }, "any"), METHODS.map((name) => h("option", {}, name)))),
      field("Path", text("path", "any, or /repos/acme/**")),
      field("Caller", text("caller", "any, or ci-bot")),
      field("Fault", effect),
      numbers,
      field("Probability (%)", h("input", { name: "percent", type: "number", min: 1, max: 100, value: 100, required: true })),
      field("Skip first", h("input", { name: "skip", type: "number", min: 0, placeholder: "none" })),
      field("Uses", h("input", { name: "times", type: "number", min: 1, placeholder: "unlimited" })),
    ];
    return h("section", { class: "card", "aria-label": "New fault" }, form("grid", fields, "Add", (given) => this.add(given)));
  }

  async add(given) {
    await control(this.base, { method: "POST", body: rule(given) });
    announce("The fault was added");
    await this.read();
  }

  async read() {
    this.controller?.abort();
    const { signal } = (this.controller = new AbortController());
    try {
      this.show(await control(this.base, { signal }));
    } catch (failure) {
      if (!isAbort(failure)) put(this.note, notice(failure.message, "failure"));
    }
  }

  /** Changes only the rows that differ, so that the focus stays where it is. */
  show(rules) {
    const keyed = new Map(rules.map((one) => [JSON.stringify({ ...one, matched: 0, used: 0, last_used_at: null }), one]));
    for (const [key, { item }] of this.rows) {
      if (keyed.has(key)) continue;
      item.remove();
      this.rows.delete(key);
    }
    for (const [key, one] of keyed) {
      if (!this.rows.has(key)) this.rows.set(key, this.row(one));
      put(this.rows.get(key).use, use(one));
    }
    this.rules.hidden = rules.length === 0;
    put(this.note, rules.length === 0 && notice("No rules: every request is served normally."));
  }

  row(one) {
    const remove = h("button", { type: "button", class: "small", "aria-label": `Delete rule ${one.id}` }, "Delete");
    remove.addEventListener("click", () => attempt(this.list, remove, async () => (await control(`${this.base}/${encodeURIComponent(one.id)}`, { method: "DELETE" }), this.read())));
    const used = h("div", { class: "use" });
    const item = h("li", {}, h("div", {}, happens(one)), h("div", {}, matches(one)), used, h("div", {}, remove));
    this.rules.append(item);
    return { item, use: used };
  }

  update() {
    this.read();
  }

  close() {
    clearInterval(this.reading);
    this.controller?.abort();
  }
}

/** The request body for a rule, from the form data without empty fields. */
function rule(given) {
  const body = { effect: given.get("effect") };
  for (const name of ["operation", "method", "path", "caller"]) if (given.get(name)) body[name] = given.get(name).trim();
  for (const name of [...Object.keys(NUMBERS), "skip", "times"]) if (given.get(name)) body[name] = Number(given.get(name));
  if (given.get("percent") !== "100") body.probability = Number(given.get("percent")) / 100;
  return body;
}

/** How often a rule was used, and when last. */
function use(one) {
  const often = one.times ? `used ${one.used} of ${one.times}` : `used ${count(one.used, "time")}`;
  const last = one.last_used_at && [h("br"), h("time", { class: "soft", datetime: one.last_used_at, title: time(one.last_used_at) }, `last ${timeOfDay(one.last_used_at)}`)];
  return [often, last];
}

function matches(one) {
  const parts = [["operation", one.operation], ["method", one.method], ["path", one.path], ["caller", one.caller]].filter(([, value]) => value);
  const often = one.probability < 1 ? `${Math.round(one.probability * 100)} % of ` : "";
  const skipped = one.skip > 0 && ` after the first ${one.skip}`;
  if (parts.length === 0) return [often, "every request", skipped];
  return [often, parts.map(([name, value], at) => [at > 0 && ", ", `${name} `, h("code", {}, value)]), skipped];
}

function happens(one) {
  const [words, numbers] = EFFECTS[one.effect] ?? [one.effect, []];
  return [h("b", {}, words), numbers.map((name) => WORDS[name](one[name]))];
}
