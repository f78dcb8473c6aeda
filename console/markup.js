// Sanitizes HTML that the server rendered from user input. Only allowed elements are
// recreated; any other becomes its text, and nothing is fetched.

import { h } from "./dom.js";

const ALLOWED_TAGS = new Set([
  "B", "BLOCKQUOTE", "BR", "CODE", "DEL", "EM", "H1", "H2", "H3", "H4", "H5", "H6", "HR", "I", "INS", "KBD",
  "LI", "OL", "P", "PRE", "S", "SPAN", "STRONG", "SUB", "SUP", "TABLE", "TBODY", "TD", "TH", "THEAD", "TR", "UL",
]);
const DROPPED_TAGS = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "IFRAME", "OBJECT", "EMBED", "SVG", "MATH", "TITLE"]);
/** Headings in a comment must not look like headings of the page. */
const HEADING = /^H[1-6]$/;
const MAX_DEPTH = 60;

/**
 * @param {string | undefined} html the rendered text
 * @param {string | null | undefined} text the source text, shown if there is no HTML
 */
export function markup(html, text) {
  const block = h("div", { class: "markup" });
  if (!html) {
    block.append(h("p", {}, text ?? ""));
    return block;
  }
  const parsed = new DOMParser().parseFromString(html, "text/html");
  copy(parsed.body, block, 0);
  return block;
}

function copy(from, to, depth) {
  if (depth > MAX_DEPTH) {
    to.append(from.textContent);
    return;
  }
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
    else if (node.nodeType === Node.ELEMENT_NODE) element(node, to, depth);
  }
}

function element(node, to, depth) {
  const tag = node.tagName.toUpperCase();
  if (DROPPED_TAGS.has(tag)) return;
  if (tag === "IMG") {
    to.append(`[${node.getAttribute("alt") || "image"}]`);
  } else if (tag === "INPUT") {
    to.append(node.checked ? "☑ " : "☐ ");
  } else if (tag === "A") {
    to.append(link(node, depth));
  } else if (ALLOWED_TAGS.has(tag)) {
    const made = h(HEADING.test(tag) ? "p" : tag.toLowerCase(), HEADING.test(tag) ? { class: "heading" } : {});
    copy(node, made, depth + 1);
    to.append(made);
  } else {
    copy(node, to, depth + 1);
  }
}

/** A web link opens in a new tab; any other link becomes plain text. */
function link(node, depth) {
  const href = node.getAttribute("href") ?? "";
  const safe = /^https?:\/\//i.test(href);
  const made = safe ? h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }) : h("span");
  copy(node, made, depth + 1);
  return made;
}
