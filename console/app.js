// An app: its installations and its latest deliveries.

import { control } from "./api.js";
import { h, notice, put } from "./dom.js";
import { time } from "./format.js";
import { facts, table } from "./paging.js";
import { path, to } from "./route.js";
import { badge, summary } from "./delivery.js";

export async function show(container, { world, contents, rest, signal }) {
  const [slug] = rest;
  const app = contents.apps.find((one) => one.slug === slug);
  if (!app) {
    put(container, notice("This world has no such app.", "failure"));
    return;
  }
  const installations = contents.installations.filter((one) => one.app === slug);
  const deliveries = h("div", {}, notice("Loading…"));
  put(
    container,
    h("h1", {}, slug),
    facts([
      ["Id", app.id],
      ["Client id", app.client_id],
    ]),
    h("h2", {}, "Installations"),
    installations.length > 0 ? table("Installations", ["Account", "Id"], installations.map((one) => installation(world, one))) : h("p", { class: "soft" }, "Not installed."),
    h("h2", {}, "Recent deliveries"),
    deliveries,
  );
  const recent = await control(`${path("worlds", world)}/deliveries?per_page=20&app=${encodeURIComponent(slug)}`, { signal });
  const rows = recent.map((one) => [badge(one), h("a", { href: to(world, "deliveries", String(one.id)) }, summary(one)), h("span", { class: "soft" }, time(one.created_at))]);
  put(deliveries, rows.length > 0 ? table("Recent deliveries", ["Status", "Event", "Created"], rows) : h("p", { class: "soft" }, "No deliveries yet."));
}

function installation(world, one) {
  return [h("a", { href: to(world, "world", "account", one.account) }, one.account), one.id];
}
