// The headers and the body of a request or a response.

import { h } from "./dom.js";
import { code } from "./json.js";

/**
 * @param {string} title
 * @param {Record<string, string> | [string, string][]} headers
 * @param {unknown} [body] shown unless undefined
 * @param {string} [note] such as "The body was truncated."
 */
export function message(title, headers, body, note) {
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers ?? {});
  const [, type] = pairs.find(([name]) => name.toLowerCase() === "content-type") ?? [];
  return h(
    "div",
    { class: "message" },
    title && h("div", { class: "head" }, h("span", {}, title)),
    pairs.length > 0 && h("table", {}, h("tbody", {}, pairs.map(([name, value]) => h("tr", {}, h("td", {}, name), h("td", {}, value))))),
    body !== undefined && (isEmpty(body) ? h("pre", { class: "soft" }, "no body") : code(body, type)),
    note && h("p", { class: "empty" }, note),
  );
}

function isEmpty(body) {
  return body === null || body === "";
}
