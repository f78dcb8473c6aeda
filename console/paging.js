// Lists that are asked for a page at a time.

import { isAbandoned } from "./api.js";
import { h, notice } from "./dom.js";

/**
 * A button that loads the next page into a list and goes away with the last.
 *
 * @param {() => Promise<boolean>} load adds the next page; says whether there is another
 */
export function more(text, load) {
  const place = h("p", { class: "more" });
  const button = h("button", { type: "button" }, text);
  button.addEventListener("click", async () => {
    button.disabled = true;
    place.querySelector(".failure")?.remove();
    try {
      if (!(await load())) place.remove();
    } catch (failure) {
      if (!isAbandoned(failure)) place.append(notice(failure.message, "failure"));
    }
    button.disabled = false;
  });
  place.append(button);
  return place;
}

/**
 * A button that adds the pages after the first; nothing if there are none.
 *
 * @param {string | null} next the address of the second page
 * @param {(data: object[]) => void} add adds what a page has
 */
export function morePages(text, next, add, forge, signal) {
  let following = next;
  const load = async () => {
    const page = await forge.page(following, signal);
    following = page.next;
    add(page.data);
    return Boolean(following);
  };
  return next && more(text, load);
}

/** A table that scrolls by itself where it is too wide. */
export function table(label, columns, rows) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))))),
  );
}

/** Facts as a list of terms; those without a value are left out. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("dl", { class: "facts" }, known.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** The way from the account to the thing. */
export function crumbs(world, links) {
  return h("p", { class: "crumbs" }, links.map(([name, address], at) => [at > 0 && " / ", h("a", { href: address }, name)]));
}
