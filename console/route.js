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

/**
 * Opens the view that a link of the forge leads to, `?view=main/world/pull/acme/gadgets/1`, and
 * shows the comment that its fragment names.
 */
function arrive() {
  const view = /^\?view=([\w.~%/-]+)$/.exec(location.search)?.[1];
  if (!view) return;
  const anchor = decode(location.hash.slice(1));
  history.replaceState(null, "", `${location.pathname}#/${view}`);
  if (/^\w+-?\w+$/.test(anchor)) showOnceLoaded(anchor);
}

/** Scrolls to a comment as soon as it is on the page; opens the collapsed thread that holds it. */
function showOnceLoaded(anchor) {
  const observer = new MutationObserver(() => {
    const target = document.getElementById(anchor);
    const fold = document.querySelector(`details[data-anchors~="${anchor}"]:not([open])`);
    if (target) {
      observer.disconnect();
      target.tabIndex = -1;
      target.focus({ preventScroll: true });
      target.scrollIntoView({ block: "center" });
    } else if (fold) {
      fold.open = true;
    }
  });
  observer.observe(document, { childList: true, subtree: true });
  addEventListener("hashchange", () => observer.disconnect(), { once: true });
}

arrive();

/** Opens a view without a new history entry, for moving through a list. */
export function replace(address) {
  history.replaceState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
