// An app: what it asks for, its webhook, its installations and its latest deliveries.

import { control } from "./api.js";
import { h, notice, put } from "./dom.js";
import { time } from "./format.js";
import { facts, table } from "./paging.js";
import { permissionTags, tags } from "./permissions.js";
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
      ["Permissions", permissionTags(app.permissions)],
      ["Events", tags(app.events)],
      ["Webhook", webhook(app)],
    ]),
    h("h2", {}, "Installations"),
    installations.length > 0 ? table("Installations", ["Account", "Repositories", "State", "Id"], installations.map((one) => installation(world, one))) : h("p", { class: "soft" }, "Not installed."),
    h("h2", {}, "Recent deliveries"),
    deliveries,
  );
  const recent = await control(`${path("worlds", world)}/deliveries?per_page=20&app=${encodeURIComponent(slug)}`, { signal });
  const rows = recent.map((one) => [badge(one), h("a", { href: to(world, "deliveries", String(one.id)) }, summary(one)), h("span", { class: "soft" }, time(one.created_at))]);
  put(deliveries, rows.length > 0 ? table("Recent deliveries", ["Status", "Event", "Created"], rows) : h("p", { class: "soft" }, "No deliveries yet."));
}

function installation(world, one) {
  const state = one.suspended_at ? h("span", { class: "bad" }, "suspended") : "active";
  return [h("a", { href: to(world, "world", "installation", String(one.id)) }, one.account), one.repository_selection, state, h("span", { class: "soft" }, one.id)];
}

/** The webhook of an app: its receiver, and how deliveries are encoded and signed. */
export function webhook(app) {
  if (!app.webhook_url) return "no URL: deliveries are only recorded";
  const how = [app.webhook_content_type, app.webhook_signed ? "signed" : "not signed", !app.webhook_ssl_verified && "certificate not verified"];
  return [h("code", {}, app.webhook_url), h("br"), h("small", {}, how.filter(Boolean).join(" · "))];
}
