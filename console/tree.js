// The tree of a world. Branches, issues and pull requests are asked for when their
// repository is opened, a page at a time.

import { h, put } from "./dom.js";
import { path, to } from "./route.js";
import { forge } from "./session.js";

/** More accounts or repositories than this are shown on demand. */
const AT_ONCE = 200;

export class Tree {
  constructor(world, known) {
    this.world = world;
    this.known = known;
    /** How to open repositories, by their full names. */
    this.closed = new Map();
    const order = ["organization", "user"];
    const accounts = known.accounts.filter((one) => order.includes(one.kind)).sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
    this.element = h("nav", { "aria-label": "Things of the world" });
    this.element.append(h("h2", {}, "Accounts"), this.items(accounts, (one) => this.account(one)));
    if (known.apps.length > 0) this.element.append(h("h2", {}, "Apps"), this.items(known.apps, (app) => this.leaf(app.slug, "app", ["app", app.slug])));
  }

  /** A list of which the first are shown. */
  items(things, make) {
    const list = h("ul", {}, things.slice(0, AT_ONCE).map(make));
    if (things.length > AT_ONCE) {
      const more = h("li", {}, h("button", { type: "button", class: "small", onclick: () => more.replaceWith(...this.items(things.slice(AT_ONCE), make).children) }, `${things.length - AT_ONCE} more`));
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

  /** A node that can be opened; its list is made then. */
  branch(name, kind, where, make, open = false) {
    const place = h("div", { hidden: true });
    const button = h("button", { type: "button", "aria-expanded": "false", "aria-label": `Open ${name}` });
    const toggle = () => {
      const opens = place.hidden;
      place.hidden = !opens;
      this.closed.delete(where.slice(1).join("/"));
      button.setAttribute("aria-expanded", opens);
      if (opens && place.childElementCount === 0) make(place);
    };
    button.addEventListener("click", toggle);
    if (open) toggle();
    else this.closed.set(where.slice(1).join("/"), toggle);
    return h("li", {}, h("div", { class: "node" }, button, this.link(name, where), kind && h("span", { class: "kind" }, kind)), place);
  }

  account(account) {
    const own = (thing) => ownerOf(thing) === account.login;
    const repositories = this.known.repositories.filter(own);
    const projects = this.known.projects.filter(own);
    if (repositories.length + projects.length === 0) return this.leaf(account.login, account.kind, ["account", account.login]);
    const make = (place) => {
      place.append(this.items(repositories, (one) => this.repository(one)));
      if (projects.length > 0) place.append(this.items(projects, (one) => this.leaf(one.title, "project", ["project", account.login, String(one.number)])));
    };
    return this.branch(account.login, account.kind, ["account", account.login], make, this.known.repositories.length <= AT_ONCE);
  }

  repository(repository) {
    const [owner, name] = repository.full_name.split("/");
    const make = async (place) => {
      const base = path("repos", owner, name);
      const issue = (one) => this.leaf(`#${one.number} ${one.title}`, one.pull_request?.merged_at ? "merged" : one.state, [one.pull_request ? "pull" : "issue", owner, name, String(one.number)]);
      if (await this.listed(place, `${base}/issues?state=all&per_page=10`, issue)) {
        await this.listed(place, `${base}/branches?per_page=10`, (one) => this.leaf(one.name, "branch", ["repo", owner, name, one.name]));
      }
    };
    const kind = repository.visibility === "public" ? "" : repository.visibility;
    return this.branch(name, kind, ["repo", owner, name], make);
  }

  /** A list of the API, a page at a time. Returns whether the token may see it. */
  async listed(parent, first, make) {
    const list = h("ul");
    const place = h("div", {}, list);
    parent.append(place);
    const load = async (address) => {
      const note = h("p", { class: "note" }, "Loading…");
      place.append(note);
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

  /** Expands the repository of what the right side shows, once. */
  reveal([, owner, name]) {
    const full = `${owner}/${name}`;
    const toggle = this.closed.get(full);
    this.closed.delete(full);
    toggle?.();
  }

  /** Marks the link of what the right side shows. */
  mark(address) {
    for (const link of this.element.querySelectorAll("a")) {
      if (link.getAttribute("href") === address) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}

/** The login of whom a repository or project belongs to. */
export function ownerOf(thing) {
  return thing.full_name ? thing.full_name.split("/")[0] : thing.owner;
}
