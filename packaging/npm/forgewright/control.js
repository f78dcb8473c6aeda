// A client of the control API. It uses node:http instead of `fetch`, because tests often mock
// `fetch`, and because node:http accepts a certificate authority.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { ForgewrightError, controlError } from "./errors.js";

/** The maximum time that a request to the control API waits, in milliseconds. */
const MAX_WAIT = 60_000;

/** The default timeout of `wait`, in milliseconds. Below the limit of five seconds that Vitest and Jest have for a test,
 * so that a test fails with the error of `wait`, which lists what did arrive. */
export const DEFAULT_TIMEOUT = 4_000;

export class ControlClient {
  #agent;
  #module;
  #origin;
  #token;

  /** `authority` is the path of the certificate to trust, `token` the control token. */
  constructor(origin, { authority, token } = {}) {
    this.#origin = origin;
    this.#token = token;
    this.#module = origin.startsWith("https:") ? https : http;
    const ca = authority ? readFileSync(authority) : undefined;
    this.#agent = new this.#module.Agent({ keepAlive: true, maxSockets: 32, ...(ca && { ca }) });
  }

  /** Sends a request and returns the body of the response. */
  async request(method, path, { query, body, signal } = {}) {
    const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
    const search = given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
    const target = `/_forgewright/worlds${path}${search}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    let response;
    try {
      response = await this.#send(method, target, text, signal);
    } catch (error) {
      throw new ForgewrightError(`the server at ${this.#origin} does not respond: ${error.message || error.code}`, { cause: error });
    }
    if (response.status >= 400) throw controlError(`${method} ${target}`, response.status, response.text);
    return response.text ? JSON.parse(response.text) : undefined;
  }

  /** Returns the list as soon as it is not empty, or an empty list after `timeout` milliseconds. */
  async wait(path, query, timeout) {
    for (let left = timeout; left > 0; left -= MAX_WAIT) {
      const milliseconds = Math.ceil(Math.min(left, MAX_WAIT));
      // The control API only waits for whole seconds, so the client ends the request.
      const signal = AbortSignal.timeout(milliseconds);
      const waiting = { ...query, wait: Math.ceil(milliseconds / 1000) };
      const found = await this.request("GET", path, { query: waiting, signal }).catch((error) => {
        if (!signal.aborted) throw error;
        return [];
      });
      if (found.length) return found;
    }
    return this.request("GET", path, { query });
  }

  /** Closes the connections. */
  close() {
    this.#agent.destroy();
  }

  #send(method, path, text, signal) {
    const headers = { accept: "application/json" };
    if (text !== undefined) Object.assign(headers, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    if (this.#token) headers.authorization = `Bearer ${this.#token}`;
    return new Promise((resolve, reject) => {
      const request = this.#module.request(new URL(path, this.#origin), { method, headers, signal, agent: this.#agent });
      request.on("error", reject);
      request.on("response", (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString("utf8") }));
      });
      request.end(text);
    });
  }
}
