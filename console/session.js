// The contents of the selected world, and the token for viewing it.

import { control, Forge } from "./api.js";
import { path } from "./route.js";

const worlds = new Map();

/** The base path of a world; clients may use another host for it. */
export function baseOf(world) {
  return world === "main" ? "" : `/_worlds/${encodeURIComponent(world)}`;
}

const KINDS = ["accounts", "members", "repositories", "collaborators", "projects", "apps", "installations", "installation_repositories", "tokens", "token_repositories"];
const PAGE_SIZE = 100;

/**
 * The contents of a world: the first page of each kind, and the pages that `loadMore` added.
 * Cached until `forget`.
 */
export function loadContents(world) {
  if (!worlds.has(world)) {
    const loading = fetchPage(world, 1);
    loading.catch(() => worlds.delete(world));
    worlds.set(world, loading);
  }
  return worlds.get(world);
}

async function fetchPage(world, page) {
  const fetched = await control(`${path("worlds", world)}/contents?per_page=${PAGE_SIZE}&page=${page}`);
  return { ...fetched, page, more: KINDS.some((kind) => fetched[kind].length === PAGE_SIZE) };
}

/** Adds the next page of each kind. */
export async function loadMore(world) {
  const contents = await loadContents(world);
  const next = await fetchPage(world, contents.page + 1);
  for (const kind of KINDS) contents[kind].push(...next[kind]);
  Object.assign(contents, { page: next.page, more: next.more });
  return contents;
}

export function isOrganization(contents, login) {
  return contents.accounts.some((account) => account.login === login && account.kind === "organization");
}

/** Drops the cached contents, after a reset, a restore or a deletion. */
export function forget(world) {
  worlds.delete(world);
}

const key = (world) => `forgewright-token-${world}`;

/** The token that the user selected or pasted; "" means anonymous. */
export function chosenToken(world) {
  return sessionStorage.getItem(key(world));
}

export function chooseToken(world, value) {
  sessionStorage.setItem(key(world), value);
}

/** Tokens with a known value, the most powerful kinds first. */
export function usable(contents) {
  const order = ["classic", "oauth", "fine_grained", "app_user", "installation"];
  const rank = (token) => (order.includes(token.kind) ? order.indexOf(token.kind) : order.length);
  return contents.tokens.filter((token) => token.value && token.active).sort((one, other) => rank(one) - rank(other));
}

/** The holder and the kind of a token. */
export function holder(token) {
  return `${token.holder} · ${token.kind.replaceAll("_", " ")}`;
}

/** The API client of a world, with the selected token or else the first one. */
export async function forge(world) {
  const contents = await loadContents(world);
  const chosen = chosenToken(world);
  const token = chosen ?? usable(contents)[0]?.value ?? null;
  return new Forge(baseOf(world), token || null);
}
