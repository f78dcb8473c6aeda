// Review threads: a comment with its replies, in place or folded.

import { h } from "./dom.js";
import { time } from "./format.js";
import { markup } from "./markup.js";

/** More comments of a thread than this are shown on demand. */
const COMMENTS_AT_ONCE = 10;

/**
 * @typedef {{ root: object, comments: object[], outdated: boolean }} Thread
 * @param {object[]} comments as `list_pull_review_comments` gives them
 * @returns {Map<string, Thread[]>} by path
 */
export function threadsByPath(comments) {
  const threads = new Map();
  for (const comment of comments) {
    const root = comment.in_reply_to_id ?? comment.id;
    const known = threads.get(root);
    if (known) known.comments.push(comment);
    else threads.set(root, { root: comment, comments: [comment], outdated: isOutdated(comment) });
  }
  const paths = new Map();
  for (const one of threads.values()) {
    paths.set(one.root.path, [...(paths.get(one.root.path) ?? []), one]);
  }
  return paths;
}

/** A comment whose line is no longer part of the difference has none. */
function isOutdated(comment) {
  return comment.subject_type !== "file" && (comment.line === null || comment.line === undefined);
}

/** What a thread is about: `on lines 4 to 5`. */
export function title({ root, outdated: old }) {
  if (root.subject_type === "file") return "on the file";
  const line = old ? root.original_line : root.line;
  const start = old ? root.original_start_line : root.start_line;
  const where = start && start !== line ? `on lines ${start} to ${line}` : `on line ${line}`;
  return root.side === "LEFT" ? `${where} before the change` : where;
}

/** @param {Thread} one */
export function thread(one, kind = "") {
  const rest = one.comments.slice(COMMENTS_AT_ONCE);
  const block = h(
    "div",
    { class: `thread ${kind}`, role: "group", "aria-label": `Thread ${title(one)}` },
    one.comments.slice(0, COMMENTS_AT_ONCE).map((comment, at) => said(comment, at === 0 ? title(one) : "replied")),
  );
  if (rest.length > 0) {
    const more = h("p", { class: "more" }, h("button", { type: "button", class: "small", onclick: () => more.replaceWith(...rest.slice(0, 100).map((comment) => said(comment, "replied"))) }, `Show ${Math.min(rest.length, 100)} more replies`));
    block.append(more);
  }
  return block;
}

function said(comment, how) {
  return h(
    "div",
    { class: "comment" },
    h("div", {}, h("b", {}, comment.user?.login ?? "ghost"), " ", h("small", {}, `${how} · ${time(comment.created_at)}`)),
    markup(comment.body_html, comment.body),
  );
}

/** A thread whose lines have changed since, folded, with the lines as they were. */
export function outdated(one, lines) {
  const fold = h("details", { class: "folded" });
  const first = one.root.user?.login ?? "ghost";
  fold.append(h("summary", {}, h("span", { class: "tag" }, "Outdated"), ` ${first} ${title(one)}`, h("small", {}, ` · ${one.comments.length}`)));
  fold.addEventListener("toggle", () => {
    if (fold.open && fold.childElementCount === 1) fold.append(lines(one.root.diff_hunk ?? ""), thread(one, "whole"));
  });
  return fold;
}
