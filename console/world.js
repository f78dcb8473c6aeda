// The World page: a tree on the left, details on the right.

import { isAbandoned } from "./api.js";
import { h, notice, put } from "./dom.js";
import { more } from "./paging.js";
import { to } from "./route.js";
import { chooseToken, chosenToken, contents, forge, holder, loadMore, usable } from "./session.js";
import { Tree } from "./tree.js";

/** The kinds of things, each in a module of its own that is loaded when it is needed. */
const THINGS = {
  account: () => import("./account.js"),
  repo: () => import("./repository.js"),
  commit: () => import("./commit.js"),
  pull: () => import("./pull.js"),
  issue: () => import("./issue.js"),
  project: () => import("./project.js"),
  app: () => import("./app.js"),
};

export class WorldPage {
  constructor(main, route) {
    this.world = route.world;
    this.detail = h("section", { class: "detail", "aria-label": "Details", tabindex: "-1" });
    this.tools = h("div", { class: "tools" });
    this.side = h("div", { class: "tree" }, notice("Loading…"));
    this.split = h("div", { class: "split world" }, h("section", { class: "list", "aria-label": "The world" }, h("h1", { class: "hidden" }, "World"), this.tools, this.side), this.detail);
    put(main, this.split);
    this.ready = this.prepare();
  }

  async prepare() {
    try {
      this.known = await contents(this.world);
    } catch (failure) {
      put(this.side, notice(failure.message, "failure"));
      return;
    }
    put(this.tools, this.picker());
    this.plant();
  }

  /** Builds the tree. */
  plant() {
    this.tree = new Tree(this.world, this.known);
    const load = async () => {
      this.known = await loadMore(this.world);
      this.plant();
      return this.known.more;
    };
    put(this.side, this.tree.element, this.known.more && more("Load more", load));
  }

  /** The token that the world is viewed with. */
  picker() {
    const tokens = usable(this.known);
    const chosen = chosenToken(this.world) ?? tokens[0]?.value ?? "";
    const pasted = chosen && !tokens.some((token) => token.value === chosen);
    const choice = (value, text) => h("option", { value, selected: value === chosen }, text);
    const select = h(
      "select",
      { onchange: () => (select.value === "paste" ? this.paste(select.parentElement) : this.see(select.value)) },
      tokens.map((token) => choice(token.value, holder(token))),
      pasted && choice(chosen, `pasted token …${chosen.slice(-4)}`),
      choice("", "anonymous (no token)"),
      h("option", { value: "paste" }, "paste a token…"),
    );
    return h("label", { class: "field" }, "View as", select);
  }

  paste(place) {
    const field = h("input", { type: "password", autocomplete: "off", spellcheck: "false", placeholder: "ghp_…" });
    const form = h("form", { class: "line", onsubmit: (event) => (event.preventDefault(), field.value && this.see(field.value.trim())) });
    form.append(h("label", { class: "field" }, "Token (kept until this tab closes)", field), h("button", {}, "Use"));
    place.replaceWith(form);
    field.focus();
  }

  see(value) {
    chooseToken(this.world, value);
    put(this.tools, this.picker());
    this.plant();
    this.update(this.route);
  }

  async update(route) {
    this.route = route;
    this.leaving?.abort();
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    await this.ready;
    if (signal.aborted || !this.known) return;
    const [kind, ...rest] = route.rest;
    this.split.classList.toggle("chosen", Boolean(kind));
    this.tree.reveal(route.rest);
    this.tree.mark(location.hash);
    const back = h("a", { class: "back", href: to(this.world, "world") }, "← The world");
    if (!THINGS[kind]) {
      put(this.detail, overview(this.world, this.known));
      return;
    }
    const place = h("div", {}, notice("Loading…"));
    put(this.detail, back, place);
    this.detail.scrollTop = 0;
    try {
      const thing = await THINGS[kind]();
      const view = { world: this.world, known: this.known, forge: await forge(this.world), rest, signal };
      await thing.show(place, view);
    } catch (failure) {
      if (!isAbandoned(failure) && !signal.aborted) put(place, refused(failure));
    }
  }

  close() {
    this.leaving?.abort();
  }
}

function refused(failure) {
  const hidden = [401, 403, 404].includes(failure.status);
  return [
    notice(`${failure.status ?? ""} ${failure.message}`.trim(), "failure"),
    hidden && h("p", { class: "soft" }, "It may exist but be hidden from this token. Choose another one under “View as”; the Requests page explains the refusal."),
  ];
}

function overview(world, known) {
  const counts = [
    ["Accounts", known.accounts.length],
    ["Repositories", known.repositories.length],
    ["Projects", known.projects.length],
    ["Apps", known.apps.length],
    ["Installations", known.installations.length],
    ["Tokens", known.tokens.length],
  ];
  const tokens = known.tokens.map((token) =>
    h("tr", {}, h("td", {}, holder(token)), h("td", {}, token.value ? h("code", {}, token.value) : h("span", { class: "soft" }, `…${token.hint}`)), h("td", {}, token.description ?? "")),
  );
  return [
    h("h1", {}, `World ${world}`),
    h("dl", { class: "facts" }, counts.map(([name, number]) => [h("dt", {}, name), h("dd", {}, `${number.toLocaleString("en")}${known.more ? " or more" : ""}`)])),
    h("h2", {}, "Tokens"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tokens" }, h("table", {}, h("thead", {}, h("tr", {}, ["Holder", "Value", "Description"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, tokens))),
  ];
}
