// The comments of an issue or a pull request, loaded a page at a time.

import { h } from "./dom.js";
import { count, time } from "./format.js";
import { markup } from "./markup.js";
import { morePages } from "./paging.js";

const COMMENTS = 50;

/** The first page of the comments of `base`, the path of an issue; null if there are none. */
export async function conversation(base, total, forge, signal) {
  if (total === 0) return null;
  const { data, next } = await forge.page(`${base}/comments?per_page=${COMMENTS}`, signal);
  const list = h("div", { class: "thread whole" }, data.map(commentBlock));
  const add = (comments) => list.append(...comments.map(commentBlock));
  return [h("h2", {}, count(total, "comment")), list, morePages(`Load ${COMMENTS} more comments`, next, add, forge, signal)];
}

function commentBlock(comment) {
  return h(
    "div",
    { class: "comment", id: `issuecomment-${comment.id}` },
    h("div", {}, h("b", {}, comment.user?.login ?? "ghost"), " ", h("small", {}, time(comment.created_at)), reactions(comment.reactions)),
    markup(comment.body_html, comment.body),
  );
}

const EMOJI = { "+1": "👍", "-1": "👎", laugh: "😄", hooray: "🎉", confused: "😕", heart: "❤️", rocket: "🚀", eyes: "👀" };

/** The reactions to a comment, with their counts. */
export function reactions(counts) {
  const given = Object.entries(EMOJI).filter(([name]) => counts?.[name] > 0);
  return given.map(([name, sign]) => h("small", { title: name }, ` ${sign} ${counts[name]}`));
}
