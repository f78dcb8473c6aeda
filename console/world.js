// The World page: a tree on the left, details on the right.

import { isAbort } from "./api.js";
import { attempt } from "./dialog.js";
import { h, notice, put } from "./dom.js";
import { facts, isHidden, more } from "./paging.js";
import { tokenList } from "./permissions.js";
import { to } from "./route.js";
import { chooseToken, chosenToken, forge, holder, loadContents, loadMore, usable } from "./session.js";
import { Tree } from "./tree.js";

/** The views, each in its own module, loaded on demand. */
const VIEWS = {
  account: () => import("./account.js"),
  repo: () => import("./repository.js"),
  commit: () => import("./commit.js"),
  pull: () => import("./pull.js"),
  issue: () => import("./issue.js"),
  project: () => import("./project.js"),
  app: () => import("./app.js"),
  installation: () => import("./installation.js"),
  refs: () => import("./refs.js"),
  tokens: () => import("./tokens.js"),
};

export class WorldPage {
  constructor(main, route) {
    this.world = route.world;
    this.detail = h("section", { class: "detail", "aria-label": "Details", tabindex: "-1" });
    this.tools = h("div", { class: "tools" });
    this.side = h("div", { class: "tree" }, notice("Loading…"));
    this.split = h("div", { class: "split world" }, h("section", { class: "list", "aria-label": "World" }, h("h1", { class: "hidden" }, "World"), this.tools, this.side), this.detail);
    put(main, this.split);
    this.ready = this.prepare();
  }

  async prepare() {
    try {
      this.contents = await loadContents(this.world);
    } catch (failure) {
      put(this.side, notice(failure.message, "failure"));
      return;
    }
    put(this.tools, this.picker());
    this.buildTree();
  }

  /** Builds the tree. */
  buildTree() {
    this.tree = new Tree(this.world, this.contents);
    const load = async () => {
      this.contents = await loadMore(this.world);
      this.buildTree();
      return this.contents.more;
    };
    put(this.side, this.tree.element, this.contents.more && more("Load more", load));
  }

  /** Selects the token for viewing the world. */
  picker() {
    const tokens = usable(this.contents);
    const chosen = chosenToken(this.world) ?? tokens[0]?.value ?? "";
    const pasted = chosen && !tokens.some((token) => token.value === chosen);
    const choice = (value, text) => h("option", { value, selected: value === chosen }, text);
    const select = h(
      "select",
      { onchange: () => (select.value === "paste" ? this.paste(select.parentElement) : this.useToken(select.value)) },
      tokens.map((token) => choice(token.value, holder(token))),
      pasted && choice(chosen, `pasted token …${chosen.slice(-4)}`),
      choice("", "anonymous (no token)"),
      h("option", { value: "paste" }, "paste a token…"),
    );
    return h("label", { class: "field" }, "View as", select);
  }

  paste(container) {
    const field = h("input", { type: "password", autocomplete: "off", spellcheck: "false", placeholder: "ghp_…" });
    const form = h("form", { class: "line", onsubmit: (event) => (event.preventDefault(), field.value && this.useToken(field.value.trim())) });
    form.append(h("label", { class: "field" }, "Token (kept until this tab closes)", field), h("button", {}, "Use"));
    container.replaceWith(form);
    field.focus();
  }

  useToken(value) {
    chooseToken(this.world, value);
    put(this.tools, this.picker());
    this.buildTree();
    this.update(this.route);
  }

  async update(route) {
    this.route = route;
    this.controller?.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    await this.ready;
    if (signal.aborted || !this.contents) return;
    const [kind, ...rest] = route.rest;
    this.split.classList.toggle("chosen", Boolean(kind));
    this.tree.reveal(route.rest);
    this.tree.mark(location.hash);
    const back = h("a", { class: "back", href: to(this.world, "world") }, "← World");
    if (!VIEWS[kind]) {
      put(this.detail, overview(this.world, this.contents));
      return;
    }
    const container = h("div", {}, notice("Loading…"));
    put(this.detail, back, container);
    this.detail.scrollTop = 0;
    const client = await forge(this.world);
    try {
      const view = await VIEWS[kind]();
      await view.show(container, { world: this.world, contents: this.contents, forge: client, rest, signal });
    } catch (failure) {
      if (!isAbort(failure) && !signal.aborted) put(container, refusal(this.world, failure, client));
    }
  }

  close() {
    this.controller?.abort();
  }
}

/** The message of a failure; if the token lacks access, with a button for the explanation. */
function refusal(world, failure, client) {
  const message = notice(`${failure.status ?? ""} ${failure.message}`.trim(), "failure");
  if (!isHidden(failure)) return message;
  const explain = h("button", { type: "button", onclick: () => attempt(explain.parentElement, explain, async () => (location.hash = to(world, "journal", await client.record(failure.path)))) }, "Explain");
  return [message, h("p", { class: "soft" }, "It may exist but be hidden from this token. Select another one under “View as”."), h("div", {}, explain)];
}

function overview(world, contents) {
  const counts = [
    ["Accounts", contents.accounts],
    ["Repositories", contents.repositories],
    ["Projects", contents.projects],
    ["Apps", contents.apps],
    ["Installations", contents.installations],
    ["Tokens", contents.tokens],
  ];
  return [
    h("h1", {}, `World ${world}`),
    facts(counts.map(([name, things]) => [name, `${things.length.toLocaleString("en")}${contents.more ? " or more" : ""}`])),
    contents.tokens.length > 0 && [h("h2", {}, "Tokens"), tokenList(world, contents.tokens, contents)],
  ];
}
