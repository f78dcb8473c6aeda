// Lists that load a page at a time, and other parts of pages.

import { isAbort } from "./api.js";
import { h, notice, put } from "./dom.js";

/**
 * A button that loads the next page of a list and disappears after the last one.
 *
 * @param {() => Promise<boolean>} load adds the next page; resolves to whether there is another
 */
export function more(text, load) {
  const container = h("p", { class: "more" });
  const button = h("button", { type: "button" }, text);
  button.addEventListener("click", async () => {
    button.disabled = true;
    container.querySelector(".failure")?.remove();
    try {
      if (!(await load())) container.remove();
    } catch (failure) {
      if (!isAbort(failure)) container.append(notice(failure.message, "failure"));
    }
    button.disabled = false;
  });
  container.append(button);
  return container;
}

/**
 * A button that adds the pages after the first; null if there are none.
 *
 * @param {string | null} next the path of the second page
 * @param {(data: object[]) => void} add adds the entries of a page
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

/** Whether a failure means that the token has no access. */
export function isHidden(failure) {
  return [401, 403, 404].includes(failure.status);
}

/**
 * A section that loads after the page. If the token may not read it, it says so.
 *
 * @param {string} title
 * @param {Promise<unknown>} loading resolves to the content; to null if the section is empty
 * @param {string} empty
 */
export function section(title, loading, empty) {
  const content = h("div", {}, h("p", { class: "soft" }, "Loading…"));
  const note = (text) => put(content, h("p", { class: "soft" }, text));
  loading.then(
    (made) => (made === null ? note(empty) : put(content, made)),
    (failure) => {
      if (isAbort(failure)) return;
      if (isHidden(failure)) note(`Not visible with this token: ${failure.message}`);
      else put(content, notice(failure.message, "failure"));
    },
  );
  return [h("h2", {}, title), content];
}

/** A table that scrolls horizontally if it is too wide. */
export function table(label, columns, rows) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))))),
  );
}

/** A description list without the pairs that have no value. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value.length !== 0);
  return h("dl", { class: "facts" }, known.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** Breadcrumbs. */
export function crumbs(world, links) {
  return h("p", { class: "crumbs" }, links.map(([name, address], at) => [at > 0 && " / ", h("a", { href: address }, name)]));
}
