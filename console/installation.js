// An installation of an app: what it may do, on which repositories, and its webhook.

import { h, notice, put } from "./dom.js";
import { time } from "./format.js";
import { crumbs, facts, table } from "./paging.js";
import { permissionTags, repositoryLink, tags, tokenList } from "./permissions.js";
import { to } from "./route.js";
import { ownerOf } from "./tree.js";
import { webhook } from "./app.js";

const MAX_SHOWN = 200;

export async function show(container, { world, contents, rest }) {
  const [id] = rest;
  const one = contents.installations.find((installation) => String(installation.id) === id);
  if (!one) {
    put(container, notice("This world has no such installation.", "failure"));
    return;
  }
  const app = contents.apps.find(({ slug }) => slug === one.app);
  const holder = `${one.app} on ${one.account}`;
  const tokens = contents.tokens.filter((token) => token.kind === "installation" && token.holder === holder);
  put(
    container,
    crumbs(world, [[one.app, to(world, "world", "app", one.app)]]),
    h("h1", {}, holder),
    one.suspended_at && h("p", { class: "failure" }, `Suspended since ${time(one.suspended_at)}${one.suspended_by ? ` by ${one.suspended_by}` : ""}: its tokens are refused.`),
    facts([
      ["Account", h("a", { href: to(world, "world", "account", one.account) }, one.account)],
      ["State", one.suspended_at ? h("span", { class: "state closed" }, "suspended") : h("span", { class: "state open" }, "active")],
      ["Permissions", permissionTags(one.permissions)],
      ["Events", tags(one.events)],
      ["Webhook", app && webhook(app)],
      ["Installed", time(one.created_at)],
      ["Id", one.id],
    ]),
    h("h2", {}, "Repositories"),
    repositories(world, one, contents),
    tokens.length > 0 && [h("h2", {}, "Tokens"), tokenList(world, tokens, contents)],
  );
}

/** The selected repositories, or all of the account. */
function repositories(world, one, contents) {
  const selected = contents.installation_repositories.filter((row) => row.installation_id === one.id).map((row) => row.repository);
  const owned = contents.repositories.filter((repository) => ownerOf(repository) === one.account).map((repository) => repository.full_name);
  const all = one.repository_selection === "all";
  const names = all ? owned : selected;
  const known = new Map(contents.repositories.map((repository) => [repository.full_name, repository]));
  const left = names.length - MAX_SHOWN;
  return [
    h("p", { class: "soft" }, all ? `All repositories of ${one.account}, and those that it creates.` : "Only selected repositories."),
    names.length > 0 && table("Repositories", ["Name", "Visibility", "Id"], names.slice(0, MAX_SHOWN).map((name) => [repositoryLink(world, name), known.get(name)?.visibility ?? "", known.get(name)?.id ?? ""])),
    left > 0 && h("p", { class: "soft" }, `and ${left.toLocaleString("en")} more`),
    contents.more && h("p", { class: "soft" }, "There may be more: load the rest of the world below the tree."),
  ];
}
