// The tokens of a world, with what each may do.

import { h, put } from "./dom.js";
import { tokenList } from "./permissions.js";

export function show(container, { world, contents }) {
  put(container, h("h1", {}, "Tokens"), contents.tokens.length > 0 ? tokenList(world, contents.tokens, contents) : h("p", { class: "soft" }, "No tokens."));
}
