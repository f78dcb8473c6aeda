// Review threads: a comment with its replies, in place or collapsed.

import { h } from "./dom.js";
import { time } from "./format.js";
import { markup } from "./markup.js";

/** A thread shows more comments than this only on demand. */
const MAX_COMMENTS = 10;

/**
 * @typedef {{ root: object, comments: object[], outdated: boolean }} Thread
 * @param {object[]} comments from `list_pull_review_comments`
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

/** A comment has no line if its line is no longer part of the diff. */
function isOutdated(comment) {
  return comment.subject_type !== "file" && (comment.line === null || comment.line === undefined);
}

/** The position of a thread: `on lines 4 to 5`. */
export function title({ root, outdated: old }) {
  if (root.subject_type === "file") return "on the file";
  const line = old ? root.original_line : root.line;
  const start = old ? root.original_start_line : root.start_line;
  const where = start && start !== line ? `on lines ${start} to ${line}` : `on line ${line}`;
  return root.side === "LEFT" ? `${where} before the change` : where;
}

/** @param {Thread} one */
export function thread(one, kind = "") {
  const rest = one.comments.slice(MAX_COMMENTS);
  const block = h(
    "div",
    { class: `thread ${kind}`, role: "group", "aria-label": `Thread ${title(one)}` },
    one.comments.slice(0, MAX_COMMENTS).map((comment, at) => commentBlock(comment, at === 0 ? title(one) : "replied")),
  );
  if (rest.length > 0) {
    const more = h("p", { class: "more" }, h("button", { type: "button", class: "small", onclick: () => more.replaceWith(...rest.slice(0, 100).map((comment) => commentBlock(comment, "replied"))) }, `Show ${Math.min(rest.length, 100)} more replies`));
    block.append(more);
  }
  return block;
}

function commentBlock(comment, how) {
  return h(
    "div",
    { class: "comment", id: `discussion_r${comment.id}` },
    h("div", {}, h("b", {}, comment.user?.login ?? "ghost"), " ", h("small", {}, `${how} · ${time(comment.created_at)}`)),
    markup(comment.body_html, comment.body),
  );
}

/** A collapsed thread on lines that have since changed, with the original lines. */
export function outdated(one, lines) {
  const fold = h("details", { class: "folded", "data-anchors": one.comments.map((comment) => `discussion_r${comment.id}`).join(" ") });
  const first = one.root.user?.login ?? "ghost";
  fold.append(h("summary", {}, h("span", { class: "tag" }, "Outdated"), ` ${first} ${title(one)}`, h("small", {}, ` · ${one.comments.length}`)));
  fold.addEventListener("toggle", () => {
    if (fold.open && fold.childElementCount === 1) fold.append(lines(one.root.diff_hunk ?? ""), thread(one, "whole"));
  });
  return fold;
}
