// The body of a message: JSON is indented and coloured token by token, so that a truncated body
// is readable too and large numbers keep their digits. A long body is shown a part at a time.

import { h } from "./dom.js";

/** How many characters one part has. */
const PART = 50000;
/** A longer token is split. */
const MAX_TOKEN = 4096;
/** Deeper levels are not indented further. */
const MAX_INDENT = 30;
/** A longer text is JSON only if its header says so. */
const MAX_PARSED = 1000000;

/**
 * @param {unknown} body a text, or a value to show as JSON
 * @param {string} [type] the content type
 * @returns {HTMLElement} with the first part, and a button for the next one
 */
export function code(body, type = "") {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const pieces = split(typeof body !== "string" || isJson(text, type) ? tokens(text) : [["", text]]);
  const shown = h("pre", { tabindex: "0", role: "region", "aria-label": "Body" });
  const next = h("p", { class: "more" });
  const show = () => {
    const { nodes, done } = part(pieces);
    shown.append(...nodes);
    if (done) next.remove();
  };
  next.append(h("button", { type: "button", class: "small", onclick: show }, "Show more"), h("small", {}, ` of ${text.length.toLocaleString("en")} characters`));
  const block = h("div", { class: "json" }, shown, next);
  show();
  return block;
}

function isJson(text, type) {
  if (/[/+]json\b/i.test(type)) return true;
  if (text.length > MAX_PARSED || !/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The elements of the next part, and whether it is the last one. */
function part(pieces) {
  const nodes = [];
  let length = 0;
  while (length < PART) {
    const { value, done } = pieces.next();
    if (done) return { nodes, done };
    const [kind, text] = value;
    nodes.push(kind ? h("span", { class: kind }, text) : document.createTextNode(text));
    length += text.length;
  }
  return { nodes, done: false };
}

function* split(tokens) {
  for (const [kind, text] of tokens) {
    for (let at = 0; at < text.length; at += MAX_TOKEN) yield [kind, text.slice(at, at + MAX_TOKEN)];
  }
}

/**
 * The tokens of a text with new whitespace between them. Any text gives some result.
 *
 * @param {string} text
 * @returns {Generator<[kind: "" | "key" | "string" | "number" | "word", text: string]>}
 */
export function* tokens(text) {
  const word = /[^ \n\r\t"{}[\],:]+/y;
  let depth = 0;
  let at = afterSpace(text, 0);
  const newLine = () => ["", `\n${"  ".repeat(Math.min(depth, MAX_INDENT))}`];
  while (at < text.length) {
    const sign = text[at];
    const start = at;
    at += 1;
    if (sign === '"') {
      at = afterString(text, start);
      const next = afterSpace(text, at);
      yield [text[next] === ":" ? "key" : "string", text.slice(start, at)];
    } else if (sign === "{" || sign === "[") {
      const next = afterSpace(text, at);
      if (text[next] === (sign === "{" ? "}" : "]")) {
        at = next + 1;
        yield ["", sign + text[next]];
      } else {
        depth += 1;
        yield ["", sign];
        yield newLine();
      }
    } else if (sign === "}" || sign === "]") {
      depth = Math.max(0, depth - 1);
      yield newLine();
      yield ["", sign];
    } else if (sign === ",") {
      yield ["", sign];
      yield newLine();
    } else if (sign === ":") {
      yield ["", ": "];
    } else {
      word.lastIndex = start;
      const [found] = word.exec(text);
      at = start + found.length;
      yield [/^-?\d/.test(found) ? "number" : "word", found];
    }
    at = afterSpace(text, at);
  }
}

function afterSpace(text, from) {
  let at = from;
  while (at < text.length && " \n\r\t".includes(text[at])) at += 1;
  return at;
}

/** The position after a string literal, which may lack its end. */
function afterString(text, from) {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return Math.min(at + 1, text.length);
}
