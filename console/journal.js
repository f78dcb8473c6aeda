// The Requests page: the journal, live, with the explanation of each response.

import { h } from "./dom.js";
import { recordsOwnRequests, recordOwnRequests } from "./api.js";
import { milliseconds, time, timeOfDay, tone } from "./format.js";
import { pauseButton } from "./live.js";
import { callerOf, isFault, rejection } from "./explanation.js";
import { to } from "./route.js";
import { SplitPage } from "./split.js";

const OPTIONS = {
  name: "journal",
  title: "Requests",
  hint: "Select a request to see it with its response and the explanation. Keys: ↑ ↓ to move, / to filter, p to pause, Esc to close.",
  placeholder: "Filter: 404, caller:ci-bot, path:pulls, op:create_ref",
  empty: "No requests yet. Client requests appear here.",
  noMatch: "No request matches this filter.",
  grammar: { keys: { caller: "caller", path: "path", op: "operation", operation: "operation", status: "status", method: "method" }, values: { path: pattern }, word },
  row,
  paged: false,
};

export class JournalPage extends SplitPage {
  constructor(main, route) {
    super(main, route, OPTIONS);
    this.tools.insertBefore(pauseButton(this.list), this.problem);
    this.tools.append(ownRequestsSwitch());
  }

  async show(entry) {
    const { show } = await import("./entry.js");
    return show(this.world, entry);
  }
}

/** The console does not record its own requests unless this switch is on. */
function ownRequestsSwitch() {
  const box = h("input", { type: "checkbox", role: "switch", checked: recordsOwnRequests(), onchange: () => recordOwnRequests(box.checked) });
  return h("label", { class: "switch" }, box, "Record what the World page requests, too");
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A number is a status, a method name is a method, and any other word is part of the path. */
function word(text) {
  if (/^[1-5](\d\d|xx)$/.test(text)) return [["status", text]];
  if (METHODS.has(text.toUpperCase())) return [["method", text.toUpperCase()]];
  return [["path", text]];
}

/** A pattern for part of a path. Text that begins with a slash or contains a `*` already is a pattern. */
function pattern(text) {
  return text.startsWith("/") || text.includes("*") ? text : `**${text}**`;
}

function row(world, entry) {
  const reason = rejection(entry)?.sentence;
  return h(
    "a",
    { class: "row", href: to(world, "journal", String(entry.id)) },
    h("span", { class: `badge ${tone(entry.status, isFault(entry))}` }, entry.status),
    h("span", { class: "verb" }, entry.method),
    h("span", { class: "what", title: entry.path }, entry.path),
    h("time", { class: "when", datetime: entry.at, title: time(entry.at) }, timeOfDay(entry.at)),
    h("small", {}, [entry.operation, callerOf(entry)].filter(Boolean).join(" · ")),
    h("span", { class: "took" }, milliseconds(entry.microseconds / 1000)),
    reason && h("span", { class: "reason" }, reason),
  );
}
