// The control functions of a world: clock, journal, faults, deliveries and snapshots.
import { inspect } from "node:util";
import { DEFAULT_TIMEOUT } from "./control.js";
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

  /** Returns the newest match, or throws an error that lists the latest items. `describe` returns the line of one. */
  async _wait(path, kind, query, options, describe) {
    checkKeys(options, "option of wait", ["timeout"]);
    const { timeout = DEFAULT_TIMEOUT } = options;
    checkNumber("timeout", timeout);
    const [found] = await this.#control.wait(`${this.#path}${path}`, query, timeout);
    if (found) return found;
    const latest = await this._request("GET", path, { query: { per_page: 5 } });
    const lines = latest.length ? `the latest are:\n${latest.map(describe).join("\n")}` : "there are none at all";
    throw new ForgewrightError(`no ${kind} matched ${JSON.stringify(query)} within ${timeout} ms; ${lines}`);
  }
}

/** The clock of a world. */
export class Clock extends ControlPart {
  get() {
    return this._request("GET", "/clock");
  }

  /** Freezes the clock, at `at` if it is given. */
  async freeze(at) {
    return this.#update({ frozen: true, ...(at !== undefined && { now: timestamp(at) }) });
  }

  /** Unfreezes the clock, which continues from the time at which it was frozen. */
  unfreeze() {
    return this.#update({ frozen: false });
  }

  async set(at) {
    return this.#update({ now: timestamp(at) });
  }

  /** Advances the clock by a number of seconds, or by `{ days, hours, minutes, seconds }`. */
  async advance(by) {
    if (typeof by !== "number" && typeof by !== "object") {
      throw new TypeError(`expected a number of seconds or an object such as { hours: 1 }, not ${inspect(by)}`);
    }
    const units = typeof by === "number" ? { seconds: by } : by;
    checkKeys(units, "unit", UNITS);
    for (const [unit, amount] of Object.entries(units)) checkNumber(unit, amount);
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

function checkNumber(name, value) {
  if (!Number.isFinite(value)) throw new TypeError(`\`${name}\` must be a number, not ${inspect(value)}`);
}

function timestamp(at) {
  if (at instanceof Date) return at.toISOString();
  if (typeof at === "string") return at;
  throw new TypeError(`expected a Date, or a date and time in ISO 8601, not ${inspect(at)}`);
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
    return this._wait("/journal", "request", filter, options, ({ method, path, explanation }) => `  ${method} ${path}: ${explanation.line}`);
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
    checkDeliveryFilter(filter);
    return this._request("GET", "/deliveries", { query: filter });
  }

  /** Returns a delivery with its full payload. */
  get(id) {
    return this._request("GET", `/deliveries/${id}`);
  }

  /** Waits for a delivery that matches, and returns the newest one. */
  async wait(filter = {}, options = {}) {
    checkDeliveryFilter(filter);
    return this._wait("/deliveries", "delivery", filter, options, outcome);
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

function checkDeliveryFilter(filter) {
  checkKeys(filter, "filter", DELIVERY_FILTERS);
  const [event, action] = String(filter.event).split(".");
  if (action) throw new TypeError(`no event is named ${inspect(filter.event)}; use { event: "${event}", action: "${action}" }`);
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
