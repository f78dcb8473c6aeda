// The Faults page: a form, and the list of rules below it.

import { control, isAbort } from "./api.js";
import { announce, h, notice, put } from "./dom.js";
import { attempt, field, form } from "./dialog.js";
import { count, milliseconds } from "./format.js";
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
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

export class FaultsPage {
  constructor(main, route) {
    this.base = `${path("worlds", route.world)}/faults`;
    this.list = h("div", {}, notice("Loading…"));
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
      const rules = await control(this.base, { signal });
      put(this.list, rules.length > 0 ? h("ul", { class: "rules", "aria-label": "Rules" }, rules.map((one) => this.row(one))) : notice("No rules: every request is served normally."));
    } catch (failure) {
      if (!isAbort(failure)) put(this.list, notice(failure.message, "failure"));
    }
  }

  row(one) {
    const remove = h("button", { type: "button", class: "small", "aria-label": `Delete rule ${one.id}` }, "Delete");
    remove.addEventListener("click", () => attempt(this.list, remove, async () => (await control(`${this.base}/${encodeURIComponent(one.id)}`, { method: "DELETE" }), this.read())));
    const used = one.times ? `used ${one.used} of ${one.times}` : `used ${count(one.used, "time")}`;
    return h("li", {}, [happens(one), matches(one), used, remove].map((cell) => h("div", {}, cell)));
  }

  update() {
    this.read();
  }

  close() {
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
