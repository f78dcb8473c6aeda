// The worlds dialog: switch, create, delete.

import { control } from "./api.js";
import { h, put } from "./dom.js";
import { attempt, confirm, field, form, open } from "./dialog.js";
import { table } from "./paging.js";
import { path, to } from "./route.js";
import { forget } from "./session.js";

/** The dialog lists no more worlds than this; the URL can name any other. */
const MAX_LISTED = 300;

/** Where a new world comes from. */
const SOURCES = { demo: "the demo world", main: "the initial state of main", empty: "an empty world", copy: "a copy of", file: "a world file…" };

export function openWorlds(world) {
  open("Worlds", async (container, close) => {
    const list = h("div", {}, h("p", { class: "soft" }, "Loading…"));
    container.append(h("div", {}, creation(world, close)), h("h3", {}, "Worlds"), list);
    await attempt(container, null, async () => put(list, worldTable(await control("/worlds"), world, close)));
  });
}

/** The form for a new world: from a template, from another world, or from a file. */
function creation(world, close) {
  const source = h("select", { name: "from" }, Object.entries(SOURCES).map(([id, words]) => h("option", { value: id }, id === "copy" ? `${words} ${world}` : words)));
  const name = h("input", { name: "name", autocomplete: "off", spellcheck: "false", maxlength: 40, pattern: "[a-z0-9_\\-]+", title: "lower-case letters, digits, hyphens and underscores", placeholder: "a random name" });
  const file = h("input", { type: "file", accept: ".yaml,.yml,.json" });
  const upload = h("div", { class: "contents" });
  source.addEventListener("change", () => put(upload, source.value === "file" && field("File", file)));
  return form("line", [field("New world from", source), field("Name", name), upload], "Create", async () => {
    const body = await origin(source.value, world, file);
    if (name.value) body.name = name.value;
    const created = await control("/worlds", { method: "POST", body });
    close();
    location.hash = to(created.name, "journal");
  });
}

async function origin(source, world, { files: [file] }) {
  if (source === "copy") return { copy_of: world };
  if (source !== "file") return { template: source };
  if (!file) throw new Error("Choose a world file.");
  return { file: await file.text() };
}

function worldTable(worlds, current, close) {
  const rows = worlds.slice(0, MAX_LISTED).map((one) => [
    h("a", { href: to(one.name, "journal"), onclick: close, "aria-current": one.name === current ? "true" : false }, one.name === current ? h("b", {}, one.name) : one.name),
    h("code", {}, one.url),
    one.name !== "main" && h("button", { type: "button", class: "small", "aria-label": `Delete ${one.name}`, onclick: () => (close(), deleteWorld(one.name, current)) }, "Delete"),
  ]);
  return table("Worlds", ["Name", "Base URL for clients", "Actions"], rows);
}

function deleteWorld(name, current) {
  confirm(`Delete ${name}?`, "Its data, tokens, journal and snapshots cannot be restored.", "Delete", async () => {
    await control(path("worlds", name), { method: "DELETE" });
    forget(name);
    if (name === current) location.hash = to("main", "journal");
  });
}
