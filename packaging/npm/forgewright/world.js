// A world: its URL, its credentials and its control functions.
import { readFile } from "node:fs/promises";
import { ForgewrightError, checkKeys } from "./errors.js";
import { Clock, Deliveries, Faults, Journal, Snapshots } from "./parts.js";

export class World {
  #control;
  #path;

  constructor(control, { name, url, tokens, apps }) {
    this.#control = control;
    this.#path = `/${name}`;
    this.name = name;
    this.url = url;
    this.tokens = tokens;
    this.apps = apps;
    this.clock = new Clock(control, this.#path);
    this.journal = new Journal(control, this.#path);
    this.faults = new Faults(control, this.#path);
    this.deliveries = new Deliveries(control, this.#path);
    this.snapshots = new Snapshots(control, this.#path);
  }

  /** Returns the value of the first token of a holder. */
  token(holder) {
    const found = this.tokens.find((token) => token.holder === holder);
    if (found) return found.value;
    const known = [...new Set(this.tokens.map((token) => token.holder))].join(", ");
    throw new ForgewrightError(`the world has no token of ${holder}; it has tokens of: ${known || "none"}`);
  }

  /** Returns the app with this slug. */
  app(slug) {
    const found = this.apps.find((app) => app.slug === slug);
    if (found) return found;
    throw new ForgewrightError(`the world has no app ${slug}; it has: ${this.apps.map((app) => app.slug).join(", ") || "none"}`);
  }

  /** Restores the state after loading. */
  reset() {
    return this.#control.request("POST", `${this.#path}/reset`);
  }

  /** Returns the contents of the world: a page of each kind. */
  async contents(page = {}) {
    checkKeys(page, "option of contents", ["per_page", "page"]);
    return this.#control.request("GET", `${this.#path}/contents`, { query: page });
  }

  /** Deletes the world. Does nothing if it no longer exists. */
  async delete() {
    await this.#control.request("DELETE", this.#path).catch((error) => {
      if (error.status !== 404) throw error;
    });
  }

  async [Symbol.asyncDispose]() {
    await this.delete();
  }
}

/** Creates a world on a server. `knownApps` are the apps of `main`, with their private keys. */
export async function createWorld(control, knownApps, options = {}) {
  const created = await control.request("POST", "", { body: await creationBody(options) });
  const keys = new Map(knownApps.map((app) => [`${app.slug} ${app.client_id}`, app]));
  const apps = created.apps.map(({ private_key, ...app }) => {
    const same = keys.get(`${app.slug} ${app.client_id}`);
    return { ...app, private_key_file: same?.private_key_file ?? null, private_key: private_key ?? same?.private_key ?? null };
  });
  return new World(control, { ...created, tokens: usableTokens(created.tokens), apps });
}

/** Returns the tokens whose values are known. */
export function usableTokens(tokens) {
  const usable = tokens.filter((token) => token.value);
  return usable.map(({ value, kind, holder, description }) => ({ value, kind, holder, description: description ?? "" }));
}

async function creationBody(options) {
  checkKeys(options, "option of world", ["name", "template", "world", "copyOf"]);
  const { name, template, world, copyOf } = options;
  if ([template, world, copyOf].filter((given) => given !== undefined).length > 1) {
    throw new ForgewrightError("pass only one of `template`, `world` and `copyOf`");
  }
  if (world !== undefined) return { name, file: await worldText(world) };
  if (copyOf !== undefined) return { name, copy_of: copyOf.name ?? copyOf };
  return { name, template: template ?? "main" };
}

/** Returns whether a string is the text of a world file, and not its path. */
export function isText(world) {
  return world.includes("\n");
}

/** Returns the text of a world file, given as its path, its text or an object; JSON is valid YAML. */
async function worldText(world) {
  if (typeof world !== "string") return JSON.stringify(world, null, 2);
  if (isText(world)) return world;
  return readFile(world, "utf8").catch((error) => {
    throw new ForgewrightError(`cannot read the world file ${world}: ${error.message}`);
  });
}
