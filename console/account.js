// An organization or a user: its profile, and what belongs to it.

import { h, put } from "./dom.js";
import { time } from "./format.js";
import { issueFields } from "./fields.js";
import { facts, table } from "./paging.js";
import { path, to } from "./route.js";
import { isOrganization } from "./session.js";
import { ownerOf } from "./tree.js";

const MAX_SHOWN = 200;

export async function show(container, { world, contents, forge, rest, signal }) {
  const [login] = rest;
  const organization = isOrganization(contents, login);
  const account = await forge.get(path(organization ? "orgs" : "users", login), signal);
  const own = (thing) => ownerOf(thing) === login;
  const repositories = contents.repositories.filter(own);
  const projects = contents.projects.filter(own);
  const members = contents.members.filter((one) => one.organization === login);
  const memberships = contents.members.filter((one) => one.user === login);
  const collaborations = contents.collaborators.filter((one) => one.user === login);
  const installations = contents.installations.filter((one) => one.account === login);
  const link = (text, ...where) => h("a", { href: to(world, "world", ...where) }, text);
  put(
    container,
    h("h1", {}, account.name || login),
    h("p", { class: "sub" }, `${organization ? "Organization" : "User"} ${login}`),
    facts([["Description", account.description ?? account.bio], ["Created", time(account.created_at)], ["Id", account.id]]),
    section("Members", ["User", "Role"], members, (one) => [link(one.user, "account", one.user), one.role]),
    section("Organizations", ["Organization", "Role"], memberships, (one) => [link(one.organization, "account", one.organization), one.role]),
    section("Repositories", ["Name", "Visibility", "Id"], repositories, (one) => [link(one.full_name.split("/")[1], "repo", ...one.full_name.split("/")), one.visibility, one.id]),
    section("Collaborator of", ["Repository", "Permission"], collaborations, (one) => [link(one.repository, "repo", ...one.repository.split("/")), one.permission]),
    section("Projects", ["Title", "Number", "Id"], projects, (one) => [link(one.title, "project", login, String(one.number)), one.number, one.id]),
    section("Installations", ["App", "Repositories", "State", "Id"], installations, (one) => [link(one.app, "installation", String(one.id)), one.repository_selection, one.suspended_at ? "suspended" : "active", one.id]),
    organization && issueFields(login, forge, signal),
  );
}

function section(name, columns, things, row) {
  if (things.length === 0) return null;
  const left = things.length - MAX_SHOWN;
  return [h("h2", {}, name), table(name, columns, things.slice(0, MAX_SHOWN).map(row)), left > 0 && h("p", { class: "soft" }, `and ${left.toLocaleString("en")} more, in the tree`)];
}
