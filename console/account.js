// An organization or a user: who it is, and what belongs to it.

import { h, put } from "./dom.js";
import { time } from "./format.js";
import { facts, table } from "./paging.js";
import { path, to } from "./route.js";
import { isOrganization } from "./session.js";
import { ownerOf } from "./tree.js";

const AT_ONCE = 200;

export async function show(place, { world, known, forge, rest, signal }) {
  const [login] = rest;
  const organization = isOrganization(known, login);
  const account = await forge.get(path(organization ? "orgs" : "users", login), signal);
  const own = (thing) => ownerOf(thing) === login;
  const repositories = known.repositories.filter(own);
  const projects = known.projects.filter(own);
  const members = known.members.filter((one) => one.organization === login);
  const memberships = known.members.filter((one) => one.user === login);
  const collaborations = known.collaborators.filter((one) => one.user === login);
  const installations = known.installations.filter((one) => one.account === login);
  const link = (text, ...where) => h("a", { href: to(world, "world", ...where) }, text);
  put(
    place,
    h("h1", {}, account.name || login),
    h("p", { class: "sub" }, `${organization ? "Organization" : "User"} ${login}`),
    facts([["Description", account.description ?? account.bio], ["Since", time(account.created_at)], ["Id", account.id]]),
    section("Members", ["User", "Role"], members, (one) => [link(one.user, "account", one.user), one.role]),
    section("Organizations", ["Organization", "Role"], memberships, (one) => [link(one.organization, "account", one.organization), one.role]),
    section("Repositories", ["Name", "Visibility", "Id"], repositories, (one) => [link(one.full_name.split("/")[1], "repo", ...one.full_name.split("/")), one.visibility, one.id]),
    section("Collaborator of", ["Repository", "Permission"], collaborations, (one) => [link(one.repository, "repo", ...one.repository.split("/")), one.permission]),
    section("Projects", ["Title", "Number", "Id"], projects, (one) => [link(one.title, "project", login, String(one.number)), one.number, one.id]),
    section("Installations", ["App", "Id"], installations, (one) => [link(one.app, "app", one.app), one.id]),
  );
}

function section(name, columns, things, row) {
  if (things.length === 0) return null;
  const left = things.length - AT_ONCE;
  return [h("h2", {}, name), table(name, columns, things.slice(0, AT_ONCE).map(row)), left > 0 && h("p", { class: "soft" }, `and ${left.toLocaleString("en")} more, in the tree`)];
}
