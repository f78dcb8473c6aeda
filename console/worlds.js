// The worlds dialog: switch, create, delete.

import { control } from "./api.js";
import { h, put } from "./dom.js";
import { attempt, confirm, field, form, open } from "./dialog.js";
import { table } from "./paging.js";
import { path, to } from "./route.js";
import { forget } from "./session.js";

/** The dialog lists no more worlds than this; the URL can name any other. */
const MAX_LISTED = 300;

export function openWorlds(world) {
  open("Worlds", async (container, close) => {
    const list = h("div", {}, h("p", { class: "soft" }, "Loading…"));
    const source = h("select", { name: "from" }, h("option", { value: "demo" }, "the demo world"), h("option", { value: "main" }, "the initial state of main"), h("option", { value: "empty" }, "an empty world"), h("option", { value: "copy" }, `a copy of ${world}`));
    const create = async () => {
      const body = source.value === "copy" ? { copy_of: world } : { template: source.value };
      const created = await control("/worlds", { method: "POST", body });
      close();
      location.hash = to(created.name, "journal");
    };
    container.append(form("line", field("New world from", source), "Create", create), h("h3", {}, "Worlds"), list);
    await attempt(container, null, async () => put(list, worldTable(await control("/worlds"), world, close)));
  });
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
