// Where the console is: `#/world/page/rest…`, so that every view has an address.

/** @typedef {{ world: string, page: string, rest: string[] }} Route */

/** @returns {Route} */
export function current() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decode);
  const [world = "main", page = "journal", ...rest] = parts;
  return { world, page, rest };
}

/** A part of an address as it was before it was escaped; what cannot be decoded stays. */
export function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a view. */
export function to(world, page, ...rest) {
  return `#/${[world, page, ...rest].map(encodeURIComponent).join("/")}`;
}

/** A path of the API; every part is escaped. */
export function path(...parts) {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

/** Opens a view without a step in the history, for walking through a list. */
export function replace(address) {
  history.replaceState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
