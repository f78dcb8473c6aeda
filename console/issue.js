// An issue: its metadata, its field values and its comments.

import { conversation } from "./conversation.js";
import { h, put } from "./dom.js";
import { time } from "./format.js";
import { markup } from "./markup.js";
import { labels } from "./labels.js";
import { options } from "./options.js";
import { crumbs, facts } from "./paging.js";
import { state } from "./repository.js";
import { path, to } from "./route.js";

export async function show(container, { world, forge, rest, signal }) {
  const [owner, name, number] = rest;
  const base = path("repos", owner, name, "issues", number);
  // Await this request first: if the issue is hidden, only one request fails.
  const issue = await forge.get(base, signal);
  const [values, discussion] = await Promise.all([
    forge.get(`${base}/issue-field-values?per_page=100`, signal),
    conversation(base, issue.comments, forge, signal),
  ]);
  put(
    container,
    crumbs(world, [[owner, to(world, "world", "account", owner)], [name, to(world, "world", "repo", owner, name)]]),
    h("h1", {}, issue.title, " ", h("span", { class: "soft" }, `#${issue.number}`)),
    h("p", { class: "sub" }, state(issue), ` opened by ${issue.user?.login ?? "ghost"} · ${time(issue.created_at)}`, issue.state_reason && ` · ${issue.state_reason.replaceAll("_", " ")}`, issue.locked && ` · locked${issue.active_lock_reason ? ` as ${issue.active_lock_reason}` : ""}`),
    facts([["Labels", labels(issue)], ["Assignees", issue.assignees.map((user) => user.login).join(", ")], ...values.map((value) => [value.issue_field_name, shown(value)])]),
    (issue.body || issue.body_html) && h("div", { class: "card" }, markup(issue.body_html, issue.body)),
    discussion,
  );
}

/** The value of an issue field: its options in their colours, or text. */
function shown(value) {
  const chosen = value.multi_select_options ?? [value.single_select_option].filter(Boolean);
  return chosen.length > 0 ? options(chosen) : String(value.value);
}
