// What the selected world contains, and the token that it is viewed with.

import { control, Forge } from "./api.js";
import { path } from "./route.js";

const worlds = new Map();

/** The path below which a world is served; clients may know it by another host. */
export function baseOf(world) {
  return world === "main" ? "" : `/_worlds/${encodeURIComponent(world)}`;
}

const KINDS = ["accounts", "members", "repositories", "collaborators", "projects", "apps", "installations", "tokens"];
const PAGE = 100;

/**
 * What a world contains: the first page of each kind, and those that `loadMore` added. Fetched
 * once, until `forget`.
 */
export function contents(world) {
  if (!worlds.has(world)) {
    const asked = fetchPage(world, 1);
    asked.catch(() => worlds.delete(world));
    worlds.set(world, asked);
  }
  return worlds.get(world);
}

async function fetchPage(world, page) {
  const fetched = await control(`${path("worlds", world)}/contents?per_page=${PAGE}&page=${page}`);
  return { ...fetched, page, more: KINDS.some((kind) => fetched[kind].length === PAGE) };
}

/** Adds the next page of each kind. */
export async function loadMore(world) {
  const known = await contents(world);
  const next = await fetchPage(world, known.page + 1);
  for (const kind of KINDS) known[kind].push(...next[kind]);
  Object.assign(known, { page: next.page, more: next.more });
  return known;
}

export function isOrganization(known, login) {
  return known.accounts.some((account) => account.login === login && account.kind === "organization");
}

/** Drops what was fetched, after a reset, a restore or a deletion. */
export function forget(world) {
  worlds.delete(world);
}

const key = (world) => `forgewright-token-${world}`;

/** The token that the user selected or pasted; "" is anonymous. */
export function chosenToken(world) {
  return sessionStorage.getItem(key(world));
}

export function chooseToken(world, value) {
  sessionStorage.setItem(key(world), value);
}

/** Tokens with a known value, the most powerful kinds first. */
export function usable(known) {
  const order = ["classic", "oauth", "fine_grained", "app_user", "installation"];
  const rank = (token) => (order.includes(token.kind) ? order.indexOf(token.kind) : order.length);
  return known.tokens.filter((token) => token.value && token.active).sort((one, other) => rank(one) - rank(other));
}

/** Who holds a token, in words. */
export function holder(token) {
  return `${token.holder} · ${token.kind.replaceAll("_", " ")}`;
}

/** The API of a world with the selected token, or else with the first one. */
export async function forge(world) {
  const known = await contents(world);
  const chosen = chosenToken(world);
  const token = chosen ?? usable(known)[0]?.value ?? null;
  return new Forge(baseOf(world), token || null);
}
