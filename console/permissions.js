// What tokens, apps and installations may do.

import { h } from "./dom.js";
import { time } from "./format.js";
import { to } from "./route.js";
import { holder } from "./session.js";

/** Access levels by permission name, as tags. */
export function permissionTags(permissions) {
  const entries = Object.entries(permissions ?? {}).sort(([one], [other]) => one.localeCompare(other));
  return tags(entries.map(([name, level]) => `${name}: ${level}`));
}

/** Names as tags. */
export function tags(names) {
  if (names.length === 0) return h("span", { class: "soft" }, "none");
  return h("span", { class: "tags" }, names.map((name) => [h("span", { class: "tag" }, name), " "]));
}

/** A link to a repository by its full name. */
export function repositoryLink(world, fullName) {
  return h("a", { href: to(world, "world", "repo", ...fullName.split("/")) }, fullName);
}

/** A list of tokens with what each may do, and where. */
export function tokenList(world, tokens, contents) {
  const item = (token) => h("li", {}, [name(token), may(token), reach(world, token, contents), state(token)].map((cell) => h("div", {}, cell)));
  return h("ul", { class: "tokens", "aria-label": "Tokens" }, tokens.map(item));
}

function name(token) {
  return [h("b", {}, holder(token)), h("br"), token.value ? h("code", {}, token.value) : h("span", { class: "soft" }, `…${token.hint}`), token.description && [h("br"), h("small", {}, token.description)]];
}

const BY_SCOPE = new Set(["classic", "oauth"]);

function may(token) {
  if (BY_SCOPE.has(token.kind)) return tags(token.scopes);
  if (token.kind === "app_user") return h("span", { class: "soft" }, "what both the user and the app may do");
  return permissionTags(token.permissions);
}

/** The repositories of a token: those selected for it, or the words for the others. */
function reach(world, token, contents) {
  if (token.repository_selection !== "selected") return h("span", { class: "soft" }, token.repository_selection ? `${token.repository_selection} repositories` : "the user’s repositories");
  const selected = contents.token_repositories.filter((one) => one.token_id === token.id);
  return selected.map((one, at) => [at > 0 && ", ", repositoryLink(world, one.repository)]);
}

function state(token) {
  const expiry = token.expires_at && h("small", {}, `${token.active ? "until" : "since"} ${time(token.expires_at).slice(0, 16)}`);
  return [token.active ? "active" : h("span", { class: "bad" }, "expired or revoked"), expiry && [h("br"), expiry]];
}
