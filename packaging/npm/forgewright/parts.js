// The control functions of a world: clock, journal, faults, deliveries and snapshots.
import { ForgewrightError, checkKeys } from "./errors.js";

const UNITS = ["days", "hours", "minutes", "seconds"];
const JOURNAL_FILTERS = ["method", "path", "operation", "status", "caller", "after", "per_page"];
const DELIVERY_FILTERS = ["event", "action", "app", "status", "after", "before", "per_page"];

/** The base class: sends requests to the control API of one world. */
class ControlPart {
  #control;
  #path;

  constructor(control, path) {
    this.#control = control;
    this.#path = path;
  }

  _request(method, path, options) {
    return this.#control.request(method, `${this.#path}${path}`, options);
  }

  _wait(path, query, options) {
    checkKeys(options, "option of wait", ["timeout"]);
    return this.#control.wait(`${this.#path}${path}`, query, options.timeout);
  }
}

/** The clock of a world. */
export class Clock extends ControlPart {
  get() {
    return this._request("GET", "/clock");
  }

  /** Freezes the clock, at `at` if it is given. */
  freeze(at) {
    return this.#update({ frozen: true, ...(at !== undefined && { now: timestamp(at) }) });
  }

  /** Unfreezes the clock, which continues from the time at which it was frozen. */
  unfreeze() {
    return this.#update({ frozen: false });
  }

  set(at) {
    return this.#update({ now: timestamp(at) });
  }

  /** Advances the clock by a number of seconds, or by `{ days, hours, minutes, seconds }`. */
  async advance(by) {
    const units = typeof by === "number" ? { seconds: by } : by;
    checkKeys(units, "unit", UNITS);
    const { days = 0, hours = 0, minutes = 0, seconds = 0 } = units;
    return this.#update({ advance: Math.round(((days * 24 + hours) * 60 + minutes) * 60 + seconds) });
  }

  /** Sets the clock back to the system clock. */
  release() {
    return this._request("DELETE", "/clock");
  }

  #update(body) {
    return this._request("PATCH", "/clock", { body });
  }
}

function timestamp(at) {
  return at instanceof Date ? at.toISOString() : at;
}

/** The requests to a world, with the explanations of their responses. */
export class Journal extends ControlPart {
  /** Returns the matching requests, the newest first. */
  async list(filter = {}) {
    checkKeys(filter, "filter", JOURNAL_FILTERS);
    return this._request("GET", "/journal", { query: filter });
  }

  get(id) {
    return this._request("GET", `/journal/${encodeURIComponent(id)}`);
  }

  /** Waits for a request that matches, and returns the newest one. */
  async wait(filter = {}, options = {}) {
    checkKeys(filter, "filter", JOURNAL_FILTERS);
    const [found] = await this._wait("/journal", filter, options);
    if (found) return found;
    const lines = (await this.list({ per_page: 5 })).map((entry) => `  ${entry.method} ${entry.path}: ${entry.explanation.line}`);
    throw noMatch("request", filter, lines);
  }

  /** Explains the response to a request. `request` is its number in the journal, its request ID, the
   * response, or the error that Octokit threw. */
  async explain(request) {
    const entry = await this.get(requestId(request));
    return entry.explanation;
  }

  clear() {
    return this._request("DELETE", "/journal");
  }
}

function requestId(request) {
  if (typeof request === "number" || typeof request === "string") return request;
  const headers = request?.response?.headers ?? request?.headers;
  const name = "x-github-request-id";
  const id = typeof headers?.get === "function" ? headers.get(name) : headers?.[name];
  if (id) return id;
  throw new ForgewrightError("cannot identify the request; pass its number, its X-GitHub-Request-Id, or a response or error with that header");
}

/** Rules that make requests fail. */
export class Faults extends ControlPart {
  add(fault) {
    return this._request("POST", "/faults", { body: fault });
  }

  list() {
    return this._request("GET", "/faults");
  }

  get(id) {
    return this._request("GET", `/faults/${id}`);
  }

  delete(id) {
    return this._request("DELETE", `/faults/${id}`);
  }

  /** Deletes all faults. */
  clear() {
    return this._request("DELETE", "/faults");
  }
}

/** The webhook deliveries of a world. */
export class Deliveries extends ControlPart {
  /** Returns the matching deliveries, the newest first. */
  async list(filter = {}) {
    checkKeys(filter, "filter", DELIVERY_FILTERS);
    return this._request("GET", "/deliveries", { query: filter });
  }

  /** Returns a delivery with its full payload. */
  get(id) {
    return this._request("GET", `/deliveries/${id}`);
  }

  /** Waits for a delivery that matches, and returns the newest one. */
  async wait(filter = {}, options = {}) {
    checkKeys(filter, "filter", DELIVERY_FILTERS);
    const [found] = await this._wait("/deliveries", filter, options);
    if (found) return found;
    const lines = (await this.list({ per_page: 5 })).map(outcome);
    throw noMatch("delivery", filter, lines);
  }

  /** Sends a webhook again and returns the new delivery. */
  redeliver(delivery) {
    return this._request("POST", `/deliveries/${delivery?.id ?? delivery}/attempts`);
  }

  /** Pauses the delivery of webhooks. */
  async pause() {
    await this._request("PUT", "/delivery", { body: { paused: true } });
  }

  /** Resumes the delivery of webhooks. */
  async resume() {
    await this._request("PUT", "/delivery", { body: { paused: false } });
  }
}

function noMatch(kind, filter, lines) {
  const latest = lines.length ? `the latest are:\n${lines.join("\n")}` : "there are none at all";
  return new ForgewrightError(`no ${kind} matches ${JSON.stringify(filter)}; ${latest}`);
}

function outcome({ event, action, app, status, error }) {
  return `  ${action ? `${event}.${action}` : event} to ${app}: ${status}${error ? `, ${error}` : ""}`;
}

/** The saved states of a world. */
export class Snapshots extends ControlPart {
  /** Saves the current state under a name. */
  make(name) {
    return this._request("PUT", `/snapshots/${encodeURIComponent(name)}`);
  }

  list() {
    return this._request("GET", "/snapshots");
  }

  restore(name) {
    return this._request("POST", `/snapshots/${encodeURIComponent(name)}/restore`);
  }

  delete(name) {
    return this._request("DELETE", `/snapshots/${encodeURIComponent(name)}`);
  }
}
