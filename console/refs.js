// The references of a repository, in any namespace: branches, tags, pull requests, notes.

import { isAbort } from "./api.js";
import { h, notice, put } from "./dom.js";
import { count } from "./format.js";
import { crumbs, more, table } from "./paging.js";
import { path, to } from "./route.js";

/** How many references the table shows at a time: the API returns all of them at once. */
const SHOWN = 200;
/** The delay between typing and loading, in milliseconds. */
const DELAY = 250;

export async function show(container, { world, forge, rest, signal }) {
  const [owner, name] = rest;
  const base = path("repos", owner, name);
  const list = h("div", {}, notice("Loading…"));
  const field = h("input", { type: "search", placeholder: "heads/feature", spellcheck: "false", autocomplete: "off", "data-key": "/" });
  let loading;
  const load = async () => {
    loading?.abort();
    loading = new AbortController();
    const prefix = field.value.trim().replace(/^refs\//, "");
    const address = `${base}/git/matching-refs/${prefix.split("/").map(encodeURIComponent).join("/")}`;
    const refs = await forge.get(address, AbortSignal.any([signal, loading.signal]));
    put(list, refs.length > 0 ? references(refs, world, owner, name) : h("p", { class: "soft" }, prefix ? `No reference begins with “${prefix}”.` : "No references."));
  };
  let timer;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => load().catch((failure) => isAbort(failure) || put(list, notice(failure.message, "failure"))), DELAY);
  });
  put(
    container,
    crumbs(world, [[owner, to(world, "world", "account", owner)], [name, to(world, "world", "repo", owner, name)]]),
    h("h1", {}, "References"),
    h("label", { class: "field narrow" }, "Beginning of the name", field),
    list,
  );
  await load();
}

function references(refs, world, owner, name) {
  const row = ({ ref, object }) => {
    const target = object.type === "commit" || object.type === "tag" ? h("a", { class: "mono", href: to(world, "world", "commit", owner, name, object.type === "tag" ? ref.replace(/^refs\//, "") : object.sha) }, object.sha.slice(0, 7)) : h("code", {}, object.sha.slice(0, 7));
    return [h("code", {}, ref), object.type, target];
  };
  const shown = table("References", ["Name", "Type", "Target"], refs.slice(0, SHOWN).map(row));
  let at = SHOWN;
  const next = async () => {
    shown.querySelector("tbody").append(...refs.slice(at, at + SHOWN).map((one) => h("tr", {}, row(one).map((cell) => h("td", {}, cell)))));
    at += SHOWN;
    return at < refs.length;
  };
  return [h("p", { class: "soft" }, count(refs.length, "reference")), shown, refs.length > SHOWN && more(`Show ${SHOWN} more`, next)];
}
