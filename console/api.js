// Sends requests to the control API, and to the API of a world with a token. The browser
// stores only the tokens, until the tab closes, and the theme.

const CONTROL = "/_forgewright";
const CONTROL_TOKEN = "forgewright-control-token";
const OWN_REQUESTS = "forgewright-own-requests";
const JOURNAL = "x-forgewright-journal";

/** An error response. */
export class ApiError extends Error {
  constructor(status, message, path) {
    super(message);
    this.status = status;
    this.path = path;
  }
}

/** Whether the journal records what the console requests from worlds. */
export function recordsOwnRequests() {
  return sessionStorage.getItem(OWN_REQUESTS) === "on";
}

export function recordOwnRequests(on) {
  sessionStorage.setItem(OWN_REQUESTS, on ? "on" : "off");
}

/** Called when the control API requires a token; resolves when the user has entered one. */
let askForToken = () => Promise.reject(new ApiError(401, "A control token is required"));
export function onTokenNeeded(ask) {
  askForToken = ask;
}

export function storeControlToken(value) {
  sessionStorage.setItem(CONTROL_TOKEN, value);
}

/** The token that proves to the server that a request comes from its own page. */
let pageToken;
function fetchPageToken() {
  pageToken ??= send("token", { accept: "text/plain" }).then(({ text }) => text);
  pageToken.catch(() => (pageToken = undefined));
  return pageToken;
}

/**
 * Sends a request to the control API.
 *
 * @param {string} path below `/_forgewright`
 * @param {{ method?: string, body?: unknown, signal?: AbortSignal }} [options]
 */
export async function control(path, options = {}) {
  const token = sessionStorage.getItem(CONTROL_TOKEN);
  const page = await fetchPageToken();
  try {
    return (await send(CONTROL + path, { ...options, page, token })).data;
  } catch (error) {
    if (error.status === 401) {
      await askForToken();
      return control(path, options);
    }
    // A server that has restarted has another page token.
    if (error.status !== 403 || options.isRetry) throw error;
    pageToken = undefined;
    return control(path, { ...options, isRetry: true });
  }
}

/** A client for a world's API. */
export class Forge {
  /**
   * @param {string} base the path of the world
   * @param {string | null} token
   */
  constructor(base, token) {
    this.base = base;
    this.token = token;
  }

  /** One resource, or one page of a list with the path of the next page. */
  async page(path, signal) {
    return send(this.base + path, { signal, accept: "application/vnd.github.full+json", token: this.token });
  }

  async get(path, signal) {
    return (await this.page(path, signal)).data;
  }

  /** Repeats a refused request, recorded; the number of its entry in the journal. */
  async record(path) {
    const response = await fetch(path, requestInit({ token: this.token }));
    const entry = response.headers.get(JOURNAL);
    if (!entry) throw new ApiError(response.status, "The journal has no entry for this request.");
    return entry;
  }
}

/** What `fetch` needs for a request. The browser sends no credentials of its own. */
function requestInit({ method = "GET", body, signal, accept = "application/json", page, token }) {
  const headers = { accept };
  if (page) headers["x-forgewright-page"] = page;
  if (token) headers.authorization = `Bearer ${token}`;
  const init = { method, headers, signal, cache: "no-store", credentials: "omit" };
  if (body === undefined) return init;
  headers["content-type"] = "application/json";
  return { ...init, body: JSON.stringify(body) };
}

async function send(path, given) {
  const init = requestInit(given);
  if (!recordsOwnRequests()) init.headers[JOURNAL] = "off";
  const response = await fetch(path, init);
  const text = await response.text();
  const data = text && isJson(response) ? JSON.parse(text) : null;
  if (!response.ok) throw new ApiError(response.status, messageOf(data) ?? `${response.status} ${response.statusText}`, path);
  return { data, text, next: nextOf(response.headers.get("link")) };
}

function isJson(response) {
  return /json/.test(response.headers.get("content-type") ?? "");
}

/** The message of an error response, with the invalid fields. */
function messageOf(data) {
  const fields = (data?.errors ?? []).map((error) => error.message ?? [error.field, error.code].filter(Boolean).join(" "));
  return data?.message ? [data.message, ...fields].join(": ") : null;
}

/** The path of the next page from a Link header, without its origin and the world's base. */
function nextOf(link) {
  const found = /<([^>]+)>;\s*rel="next"/.exec(link ?? "");
  if (!found) return null;
  const url = new URL(found[1], location.href);
  return url.pathname.replace(/^\/_worlds\/[^/]+/, "") + url.search;
}

/** Whether a request failed only because the user left the view. */
export function isAbort(failure) {
  return failure?.name === "AbortError";
}
