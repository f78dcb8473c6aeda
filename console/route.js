// The route in the URL fragment: `#/world/page/rest…`. Every view has its own URL.

/** @typedef {{ world: string, page: string, rest: string[] }} Route */

/** @returns {Route} */
export function current() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decode);
  const [world = "main", page = "journal", ...rest] = parts;
  return { world, page, rest };
}

/** Decodes part of a URL; returns text that cannot be decoded unchanged. */
export function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The URL of a view. */
export function to(world, page, ...rest) {
  return `#/${[world, page, ...rest].map(encodeURIComponent).join("/")}`;
}

/** A path in the API, with every part escaped. */
export function path(...parts) {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

/** Opens a view without a new history entry, for moving through a list. */
export function replace(address) {
  history.replaceState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
