// The tree of a world. Expanding a repository loads its branches, issues and pull requests,
// a page at a time.

import { h, put } from "./dom.js";
import { path, to } from "./route.js";
import { forge } from "./session.js";

/** The tree shows more accounts or repositories than this only on demand. */
const MAX_SHOWN = 200;

export class Tree {
  constructor(world, contents) {
    this.world = world;
    this.contents = contents;
    /** Functions that expand the collapsed nodes, by account or full repository name. */
    this.closed = new Map();
    const order = ["organization", "user"];
    const accounts = contents.accounts.filter((one) => order.includes(one.kind)).sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
    this.element = h("nav", { "aria-label": "World contents" });
    this.element.append(h("h2", {}, "Accounts"), this.items(accounts, (one) => this.account(one)));
    if (contents.apps.length > 0) this.element.append(h("h2", {}, "Apps"), this.items(contents.apps, (app) => this.app(app)));
    if (contents.tokens.length > 0) this.element.append(h("h2", {}, "Access"), h("ul", {}, this.leaf("Tokens", "", ["tokens"])));
  }

  /** A list that shows only its first items. */
  items(things, make) {
    const list = h("ul", {}, things.slice(0, MAX_SHOWN).map(make));
    if (things.length > MAX_SHOWN) {
      const more = h("li", {}, h("button", { type: "button", class: "small", onclick: () => more.replaceWith(...this.items(things.slice(MAX_SHOWN), make).children) }, `${things.length - MAX_SHOWN} more`));
      list.append(more);
    }
    return list;
  }

  link(name, where) {
    return h("a", { href: to(this.world, "world", ...where), title: name }, name);
  }

  leaf(name, kind, where) {
    return h("li", {}, h("div", { class: "node leaf" }, this.link(name, where), kind && h("span", { class: "kind" }, kind)));
  }

  /** An expandable node; expanding it creates its list. */
  branch(name, kind, where, make, open = false) {
    const container = h("div", { hidden: true });
    const button = h("button", { type: "button", "aria-expanded": "false", "aria-label": `Open ${name}` });
    const toggle = () => {
      const opens = container.hidden;
      container.hidden = !opens;
      this.closed.delete(where.slice(1).join("/"));
      button.setAttribute("aria-expanded", opens);
      if (opens && container.childElementCount === 0) make(container);
    };
    button.addEventListener("click", toggle);
    if (open) toggle();
    else this.closed.set(where.slice(1).join("/"), toggle);
    return h("li", {}, h("div", { class: "node" }, button, this.link(name, where), kind && h("span", { class: "kind" }, kind)), container);
  }

  account(account) {
    const own = (thing) => ownerOf(thing) === account.login;
    const repositories = this.contents.repositories.filter(own);
    const projects = this.contents.projects.filter(own);
    if (repositories.length + projects.length === 0) return this.leaf(account.login, account.kind, ["account", account.login]);
    const make = (container) => {
      container.append(this.items(repositories, (one) => this.repository(one)));
      if (projects.length > 0) container.append(this.items(projects, (one) => this.leaf(one.title, "project", ["project", account.login, String(one.number)])));
    };
    return this.branch(account.login, account.kind, ["account", account.login], make, this.contents.repositories.length <= MAX_SHOWN);
  }

  app({ slug }) {
    const installations = this.contents.installations.filter((one) => one.app === slug);
    if (installations.length === 0) return this.leaf(slug, "app", ["app", slug]);
    const leaf = (one) => this.leaf(`on ${one.account}`, one.suspended_at ? "suspended" : "installation", ["installation", String(one.id)]);
    return this.branch(slug, "app", ["app", slug], (container) => container.append(this.items(installations, leaf)), this.contents.installations.length <= MAX_SHOWN);
  }

  repository(repository) {
    const [owner, name] = repository.full_name.split("/");
    const make = async (container) => {
      const base = path("repos", owner, name);
      const issue = (one) => this.leaf(`#${one.number} ${one.title}`, one.pull_request?.merged_at ? "merged" : one.state, [one.pull_request ? "pull" : "issue", owner, name, String(one.number)]);
      if (await this.apiList(container, `${base}/issues?state=all&per_page=10`, issue)) {
        await this.apiList(container, `${base}/branches?per_page=10`, (one) => this.leaf(one.name, "branch", ["repo", owner, name, one.name]));
        container.append(h("ul", {}, this.leaf("Tags and other references", "", ["refs", owner, name])));
      }
    };
    const kind = repository.visibility === "public" ? "" : repository.visibility;
    return this.branch(name, kind, ["repo", owner, name], make);
  }

  /** A list from the API, loaded a page at a time. Returns whether the token can see it. */
  async apiList(parent, first, make) {
    const list = h("ul");
    const container = h("div", {}, list);
    parent.append(container);
    const load = async (address) => {
      const note = h("p", { class: "note" }, "Loading…");
      container.append(note);
      try {
        const { data, next } = await (await forge(this.world)).page(address);
        list.append(...data.map(make));
        if (next) put(note, h("button", { type: "button", class: "small", onclick: () => (note.remove(), load(next)) }, "more"));
        else note.remove();
        this.mark(location.hash);
        return true;
      } catch (failure) {
        put(note, [401, 403, 404].includes(failure.status) ? "not visible with this token" : failure.message);
        return false;
      }
    };
    return load(first);
  }

  /** Expands the repository of the current view, once. */
  reveal([, owner, name]) {
    const full = `${owner}/${name}`;
    const toggle = this.closed.get(full);
    this.closed.delete(full);
    toggle?.();
  }

  /** Marks the link to the current view. */
  mark(address) {
    for (const link of this.element.querySelectorAll("a")) {
      if (link.getAttribute("href") === address) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}

/** The login of the owner of a repository or project. */
export function ownerOf(thing) {
  return thing.full_name ? thing.full_name.split("/")[0] : thing.owner;
}
