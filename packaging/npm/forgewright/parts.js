// What a test does with a world beside using its API: the clock, the journal, faults,
// deliveries and snapshots.
import { ForgewrightError } from "./errors.js";

/** What the parts share: the control API at the path of their world. */
class Part {
  #control;
  #path;

  constructor(control, path) {
    this.#control = control;
    this.#path = path;
  }

  _ask(method, path, options) {
    return this.#control.request(method, `${this.#path}${path}`, options);
  }

  _wait(path, query, timeout) {
    return this.#control.wait(`${this.#path}${path}`, query, timeout);
  }
}

/** The time of a world. */
export class Clock extends Part {
  get() {
    return this._ask("GET", "/clock");
  }

  /** Lets the time stand still, at another time if one is given. */
  freeze(at) {
    return this.#change({ frozen: true, ...(at !== undefined && { now: moment(at) }) });
  }

  /** Lets a clock that stood still go on from where it is. */
  unfreeze() {
    return this.#change({ frozen: false });
  }

  set(at) {
    return this.#change({ now: moment(at) });
  }

  /** Leaps by seconds, or by `{ days, hours, minutes, seconds }`. */
  advance(by) {
    if (typeof by === "number") return this.#change({ advance: by });
    const { days = 0, hours = 0, minutes = 0, seconds = 0 } = by;
    return this.#change({ advance: ((days * 24 + hours) * 60 + minutes) * 60 + seconds });
  }

  /** Returns to the time of the system. */
  release() {
    return this._ask("DELETE", "/clock");
  }

  #change(body) {
    return this._ask("PATCH", "/clock", { body });
  }
}

function moment(at) {
  return at instanceof Date ? at.toISOString() : at;
}

/** The requests that were made of a world, and why each was answered so. */
export class Journal extends Part {
  /** The newest first. */
  list(filter = {}) {
    return this._ask("GET", "/journal", { query: filter });
  }

  get(id) {
    return this._ask("GET", `/journal/${encodeURIComponent(id)}`);
  }

  /** The newest request that fits, as soon as there is one. */
  async wait(filter = {}, { timeout } = {}) {
    const [found] = await this._wait("/journal", filter, timeout);
    if (found) return found;
    const lines = (await this.list({ per_page: 5 })).map((entry) => `  ${entry.method} ${entry.path}: ${entry.explanation.line}`);
    const last = lines.length ? `the last were:\n${lines.join("\n")}` : "there was none at all";
    throw new ForgewrightError(`no request fits ${JSON.stringify(filter)}; ${last}`);
  }

  /** Why a request was answered so: by its number, its request id, an answer, or the error that
   * Octokit threw. */
  async explain(request) {
    const entry = await this.get(requestId(request));
    return entry.explanation;
  }

  clear() {
    return this._ask("DELETE", "/journal");
  }
}

function requestId(request) {
  if (typeof request === "number" || typeof request === "string") return request;
  const headers = request?.response?.headers ?? request?.headers;
  const name = "x-github-request-id";
  const id = typeof headers?.get === "function" ? headers.get(name) : headers?.[name];
  if (id) return id;
  throw new ForgewrightError("a request is named by its number, its X-GitHub-Request-Id, or an answer or error that has one");
}

/** Rules by which requests fail. */
export class Faults extends Part {
  add(fault) {
    return this._ask("POST", "/faults", { body: fault });
  }

  list() {
    return this._ask("GET", "/faults");
  }

  get(id) {
    return this._ask("GET", `/faults/${id}`);
  }

  delete(id) {
    return this._ask("DELETE", `/faults/${id}`);
  }

  /** Deletes all of them. */
  clear() {
    return this._ask("DELETE", "/faults");
  }
}

/** The webhooks of a world. */
export class Deliveries extends Part {
  /** The newest first. */
  list(filter = {}) {
    return this._ask("GET", "/deliveries", { query: filter });
  }

  /** One with its whole payload. */
  get(id) {
    return this._ask("GET", `/deliveries/${id}`);
  }

  /** The newest delivery that fits, as soon as there is one. */
  async wait(filter = {}, { timeout } = {}) {
    const [found] = await this._wait("/deliveries", filter, timeout);
    if (found) return found;
    const lines = (await this.list({ per_page: 5 })).map(outcome);
    const last = lines.length ? `the last were:\n${lines.join("\n")}` : "there was none at all";
    throw new ForgewrightError(`no delivery fits ${JSON.stringify(filter)}; ${last}`);
  }

  /** Sends a webhook again, and returns the new delivery. */
  redeliver(delivery) {
    return this._ask("POST", `/deliveries/${delivery?.id ?? delivery}/attempts`);
  }

  /** Lets webhooks wait. */
  async pause() {
    await this._ask("PUT", "/delivery", { body: { paused: true } });
  }

  /** Sends those that wait. */
  async resume() {
    await this._ask("PUT", "/delivery", { body: { paused: false } });
  }
}

function outcome({ event, action, app, status, error }) {
  return `  ${action ? `${event}.${action}` : event} to ${app}: ${status}${error ? `, ${error}` : ""}`;
}

/** States of a world to go back to. */
export class Snapshots extends Part {
  /** Keeps the current state under a name. */
  make(name) {
    return this._ask("PUT", `/snapshots/${encodeURIComponent(name)}`);
  }

  list() {
    return this._ask("GET", "/snapshots");
  }

  restore(name) {
    return this._ask("POST", `/snapshots/${encodeURIComponent(name)}/restore`);
  }

  delete(name) {
    return this._ask("DELETE", `/snapshots/${encodeURIComponent(name)}`);
  }
}
