// The headers and the body of a request or a response.

import { h } from "./dom.js";
import { pretty } from "./format.js";

/**
 * @param {string} title
 * @param {Record<string, string> | [string, string][]} headers
 * @param {unknown} [body] shown unless undefined
 * @param {string} [note] such as "The body was truncated."
 */
export function message(title, headers, body, note) {
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers ?? {});
  const text = pretty(body);
  return h(
    "div",
    { class: "message" },
    title && h("div", { class: "head" }, h("span", {}, title)),
    pairs.length > 0 && h("table", {}, h("tbody", {}, pairs.map(([name, value]) => h("tr", {}, h("td", {}, name), h("td", {}, value))))),
    body !== undefined && (text ? h("pre", { tabindex: "0", role: "region", "aria-label": "Body" }, text) : h("pre", { class: "soft" }, "no body")),
    note && h("p", { class: "empty" }, note),
  );
}
