// A client of the control API. It uses node:http, which no test replaces by accident as it
// may `fetch`, and which takes a certificate authority.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { ForgewrightError, refusal } from "./errors.js";

/** How long a request of the control API may be held back by the server, in seconds. */
const LONGEST_WAIT = 60;

/** How long `wait` waits unless told otherwise, in milliseconds. */
const PATIENCE = 10_000;

export class Control {
  #agent;
  #module;
  #origin;
  #token;

  /** `authority` is the file with the certificate to trust, `token` the control token. */
  constructor(origin, { authority, token } = {}) {
    this.#origin = origin;
    this.#token = token;
    this.#module = origin.startsWith("https:") ? https : http;
    const ca = authority ? readFileSync(authority) : undefined;
    this.#agent = new this.#module.Agent({ keepAlive: true, maxSockets: 32, ...(ca && { ca }) });
  }

  /** Sends a request and returns the body of the answer. */
  async request(method, path, { query, body } = {}) {
    const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
    const search = given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
    const target = `/_forgewright/worlds${path}${search}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    let answer;
    try {
      answer = await this.#send(method, target, text);
    } catch (error) {
      throw new ForgewrightError(`the server at ${this.#origin} does not answer: ${error.message || error.code}`, { cause: error });
    }
    if (answer.status >= 400) throw refusal(`${method} ${target}`, answer.status, answer.text);
    return answer.text ? JSON.parse(answer.text) : undefined;
  }

  /** Lists until something is in the list, or until the time is over: then it is empty. */
  async wait(path, query, timeout = PATIENCE) {
    const until = performance.now() + timeout;
    for (;;) {
      const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
      const wait = Math.min(left, LONGEST_WAIT);
      const found = await this.request("GET", path, { query: { ...query, wait } });
      if (found.length || left <= LONGEST_WAIT) return found;
    }
  }

  /** Closes the connections. */
  close() {
    this.#agent.destroy();
  }

  #send(method, path, text) {
    const headers = { accept: "application/json" };
    if (text !== undefined) Object.assign(headers, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    if (this.#token) headers.authorization = `Bearer ${this.#token}`;
    return new Promise((resolve, reject) => {
      const request = this.#module.request(new URL(path, this.#origin), { method, headers, agent: this.#agent });
      request.on("error", reject);
      request.on("response", (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode, text: Buffer.concat(parts).toString("utf8") }));
      });
      request.end(text);
    });
  }
}
