// Formats numbers, times and statuses.

/** @param {string} iso */
export function time(iso) {
  return iso ? iso.replace("T", " ").replace(/(\.\d+)?Z$/, "") : "";
}

/** The time of day, for lists. */
export function timeOfDay(iso) {
  return time(iso).slice(11);
}

/** A duration in milliseconds, rounded to its significant digits. */
export function milliseconds(value) {
  if (value === null || value === undefined) return "";
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ms`;
}

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

/** A number of seconds in at most two units: `1 d 2 h`, `45 s`. */
export function duration(seconds) {
  let left = Math.abs(seconds);
  const parts = UNITS.map(([unit, size]) => {
    const whole = Math.floor(left / size);
    left -= whole * size;
    return whole > 0 && `${whole.toLocaleString("en")} ${unit}`;
  });
  return parts.filter(Boolean).slice(0, 2).join(" ") || "0 s";
}

/** `1 comment`, `2 comments`. */
export function count(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** The CSS class for a status code. */
export function tone(status, fault) {
  if (fault) return "warn";
  if (!status) return "bad";
  if (status < 300) return "good";
  if (status < 400) return "soft";
  return status < 500 ? "bad" : "warn";
}

const REASONS = {
  200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently",
  302: "Found", 304: "Not Modified", 307: "Temporary Redirect", 400: "Bad Request",
  401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
  406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 412: "Precondition Failed",
  413: "Content Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Entity",
  429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
  503: "Service Unavailable", 504: "Gateway Timeout",
};

/** `404 Not Found`. */
export function statusLine(status) {
  return status ? `${status} ${REASONS[status] ?? ""}`.trim() : "no response";
}

/** A text quoted for the shell. */
export function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
