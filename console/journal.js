// The Requests page: the journal, live, with the explanation of each response.

import { h } from "./dom.js";
import { milliseconds, tone } from "./format.js";
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
  query,
  row,
  paged: false,
};

export class JournalPage extends SplitPage {
  constructor(main, route) {
    super(main, route, OPTIONS);
    this.tools.append(pauseButton(this.list));
  }

  async show(entry) {
    const { show } = await import("./entry.js");
    return show(this.world, entry);
  }
}

const NAMES = { caller: "caller", path: "path", op: "operation", operation: "operation", status: "status", method: "method" };
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * The query parameters for a filter such as `404 caller:ci-bot path:pulls`. A number is a
 * status, a method name is a method, and any other word is part of the path.
 */
export function query(text) {
  const filters = new Map();
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name, value] = /^(\w+):(.+)$/.exec(word) ?? [];
    if (NAMES[name]) filters.set(NAMES[name], value);
    else if (/^[1-5](\d\d|xx)$/.test(word)) filters.set("status", word);
    else if (METHODS.has(word.toUpperCase())) filters.set("method", word.toUpperCase());
    else filters.set("path", word);
  }
  if (filters.has("path")) filters.set("path", pattern(filters.get("path")));
  return [...filters].map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
}

/** A pattern for part of a path. Text that begins with a slash or contains a `*` already is a pattern. */
function pattern(text) {
  return text.startsWith("/") || text.includes("*") ? text : `**${text}**`;
}

function row(world, entry) {
  return h(
    "a",
    { class: "row", href: to(world, "journal", String(entry.id)) },
    h("span", { class: `badge ${tone(entry.status, isFault(entry))}` }, entry.status),
    h("span", { class: "verb" }, entry.method),
    h("span", { class: "what", title: entry.path }, entry.path),
    h("span", { class: "took" }, milliseconds(entry.microseconds / 1000)),
    h("small", {}, [entry.operation, callerOf(entry), rejection(entry)?.sentence].filter(Boolean).join(" · ")),
  );
}
