// A world: its address, its credentials, and what a test may do with it.
import { readFile } from "node:fs/promises";
import { ForgewrightError } from "./errors.js";
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

  /** The value of a token of this holder. */
  token(holder) {
    const found = this.tokens.find((token) => token.holder === holder);
    if (found) return found.value;
    const known = [...new Set(this.tokens.map((token) => token.holder))].join(", ");
    throw new ForgewrightError(`no token of the world belongs to ${holder}; there are tokens of ${known || "nobody"}`);
  }

  /** The app with this slug. */
  app(slug) {
    const found = this.apps.find((app) => app.slug === slug);
    if (found) return found;
    throw new ForgewrightError(`the world has no app ${slug}; it has ${this.apps.map((app) => app.slug).join(", ") || "none"}`);
  }

  /** Goes back to the state after loading. */
  reset() {
    return this.#control.request("POST", `${this.#path}/reset`);
  }

  /** What exists in the world, a page of each kind. */
  contents(page = {}) {
    return this.#control.request("GET", `${this.#path}/contents`, { query: page });
  }

  /** Ends a world that was made; one that is gone already is fine. */
  async delete() {
    await this.#control.request("DELETE", this.#path).catch((error) => {
      if (error.status !== 404) throw error;
    });
  }

  async [Symbol.asyncDispose]() {
    await this.delete();
  }
}

/** Makes a world on a server. `known` are the apps of the server, whose keys it has on its disk. */
export async function makeWorld(control, known, options = {}) {
  const made = await control.request("POST", "", { body: await origin(options) });
  const keys = new Map(known.map((app) => [`${app.slug} ${app.client_id}`, app]));
  const apps = made.apps.map(({ private_key, ...app }) => {
    const same = keys.get(`${app.slug} ${app.client_id}`);
    return { ...app, private_key_file: same?.private_key_file ?? null, private_key: private_key ?? same?.private_key ?? null };
  });
  return new World(control, { ...made, tokens: withValues(made.tokens), apps });
}

/** Tokens that can be used. */
export function withValues(tokens) {
  const usable = tokens.filter((token) => token.value);
  return usable.map(({ value, kind, holder, description }) => ({ value, kind, holder, description: description ?? "" }));
}

async function origin({ name, template, world, copyOf }) {
  if ([template, world, copyOf].filter((given) => given !== undefined).length > 1) {
    throw new ForgewrightError("a world is made from one thing: `template`, `world` or `copyOf`");
  }
  if (world !== undefined) return { name, file: await worldText(world) };
  if (copyOf !== undefined) return { name, copy_of: copyOf.name ?? copyOf };
  return { name, template: template ?? "main" };
}

/** Whether a string is the text of a world, and not the name of a file. */
export function isText(world) {
  return world.includes("\n");
}

/** The text of a world that is given as a file, as its text, or as an object: JSON is YAML. */
async function worldText(world) {
  if (typeof world !== "string") return JSON.stringify(world, null, 2);
  if (isText(world)) return world;
  return readFile(world, "utf8").catch((error) => {
    throw new ForgewrightError(`cannot read the world ${world}: ${error.message}`);
  });
}
