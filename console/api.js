// Requests: to the control API, and to the API of a world as somebody with a token.
// Nothing is kept in the browser but tokens and the theme, for as long as the tab is open.

const CONTROL = "/_forgewright";
const CONTROL_TOKEN = "forgewright-control-token";

/** An answer that is not what was asked for. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Called when the control API wants a token; resolves when one has been given. */
let askForToken = () => Promise.reject(new Refusal(401, "A control token is needed"));
export function onTokenNeeded(ask) {
  askForToken = ask;
}

export function keepControlToken(value) {
  sessionStorage.setItem(CONTROL_TOKEN, value);
}

/**
 * Asks the control API.
 *
 * @param {string} path below `/_forgewright`
 * @param {{ method?: string, body?: unknown, signal?: AbortSignal }} [options]
 */
export async function control(path, options = {}) {
  const token = sessionStorage.getItem(CONTROL_TOKEN);
  try {
    return (await send(CONTROL + path, options, token)).data;
  } catch (refusal) {
    if (refusal.status !== 401) throw refusal;
    await askForToken();
    return control(path, options);
  }
}

/** A world's API, as somebody. */
export class Forge {
  /**
   * @param {string} base the path of the world
   * @param {string | null} token
   */
  constructor(base, token) {
    this.base = base;
    this.token = token;
  }

  /** One thing, or one page of a list with the path of the next. */
  async page(path, signal) {
    return send(this.base + path, { signal, accept: "application/vnd.github.full+json" }, this.token);
  }

  async get(path, signal) {
    return (await this.page(path, signal)).data;
  }
}

async function send(path, { method = "GET", body, signal, accept = "application/json" }, token) {
  // The journal is for the requests of others.
  const headers = { accept, "x-forgewright-journal": "off" };
  if (token) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const init = { method, headers, signal, cache: "no-store", credentials: "omit" };
  const answer = await fetch(path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
  const text = await answer.text();
  const data = text && isJson(answer) ? JSON.parse(text) : null;
  if (!answer.ok) throw new Refusal(answer.status, messageOf(data) ?? `${answer.status} ${answer.statusText}`);
  return { data, next: nextOf(answer.headers.get("link")) };
}

function isJson(answer) {
  return /json/.test(answer.headers.get("content-type") ?? "");
}

/** The message of a failure with the fields that it names. */
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

/** Whether a failure only says that the view was left. */
export function isAbandoned(failure) {
  return failure?.name === "AbortError";
}
