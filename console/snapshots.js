// The snapshots dialog: create, restore, delete.

import { control } from "./api.js";
import { announce, h, put } from "./dom.js";
import { attempt, confirm, field, form, open } from "./dialog.js";
import { time } from "./format.js";
import { table } from "./paging.js";
import { path } from "./route.js";
import { changed } from "./toolbar.js";

export function openSnapshots(world, toolbar) {
  const base = `${path("worlds", world)}/snapshots`;
  open(`Snapshots of ${world}`, async (container, close) => {
    const list = h("div");
    const name = h("input", { name: "name", required: true, maxlength: 100, autocomplete: "off", placeholder: "before-the-push" });
    const read = async () => {
      const snapshots = await control(base);
      const rows = snapshots.map((one) => [h("b", {}, one.name), h("small", {}, time(one.created_at)), buttons(one)]);
      put(list, rows.length > 0 ? table("Snapshots", ["Name", "Created", "Actions"], rows) : h("p", { class: "soft" }, "No snapshots yet."));
    };
    const buttons = (one) => {
      const restore = h("button", { type: "button", class: "small" }, "Restore");
      restore.addEventListener("click", () => {
        close();
        confirm(`Restore ${one.name}?`, `All changes in ${world} since then will be lost.`, "Restore", async () => {
          await control(`${base}/${encodeURIComponent(one.name)}/restore`, { method: "POST" });
          announce(`${world} was restored`);
          changed(world);
          toolbar.readClock();
        });
      });
      const remove = h("button", { type: "button", class: "small", "aria-label": `Delete ${one.name}` }, "Delete");
      remove.addEventListener("click", () => attempt(container, remove, async () => (await control(`${base}/${encodeURIComponent(one.name)}`, { method: "DELETE" }), read())));
      return h("span", { class: "buttons" }, restore, remove);
    };
    const create = async () => {
      await control(`${base}/${encodeURIComponent(name.value.trim())}`, { method: "PUT" });
      announce(`Created ${name.value}`);
      name.value = "";
      await read();
    };
    container.append(form("line", field("Name", name), "Create", create), h("h3", {}, "Snapshots"), list);
    await attempt(container, null, read);
  });
}
