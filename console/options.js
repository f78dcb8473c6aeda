// The options of project fields and issue fields.

import { h } from "./dom.js";

const COLOURS = new Set(["red", "orange", "yellow", "green", "blue", "purple", "pink", "gray"]);

/** An option with a dot in its colour. Projects have texts with `raw` and `html`. */
export function option({ name, color, description }) {
  const word = String(color ?? "").toLowerCase();
  return h("span", { class: `option ${COLOURS.has(word) ? word : ""}`, title: text(description) || false }, text(name));
}

/** The options of a field, with spaces between them. */
export function options(given) {
  return (given ?? []).map((one) => [option(one), " "]);
}

/** The data type of a field; a long one breaks after its underscore. */
export function dataType(field) {
  return h("code", {}, field.data_type.split("_").map((word, at) => [at > 0 && ["_", h("wbr")], word]));
}

/** The text of a name, a title or a description. */
export function text(value) {
  return typeof value === "string" ? value : (value?.raw ?? "");
}
