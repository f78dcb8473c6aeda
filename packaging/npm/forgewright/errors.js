// The errors of this package. Their messages say what to do.
import { inspect } from "node:util";

/** A server could not be started or reached, or refused a request; in that case, `status` is set. */
export class ForgewrightError extends Error {
  name = "ForgewrightError";
}

/** Throws a TypeError unless `given` is an object with known keys. `kind` is what a key is called. */
export function checkKeys(given, kind, known) {
  if (typeof given !== "object" || given === null) {
    throw new TypeError(`expected an object with a key for each ${kind} (${known.join(", ")}), not ${inspect(given)}`);
  }
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new TypeError(`unknown ${kind} \`${unknown}\`; use one of: ${known.join(", ")}`);
}

/** Returns the error for a binary that cannot print its version. */
export function unusableBinary(output, binary) {
  const [firstLine] = String(output).trim().split("\n");
  if (/GLIBC_[\d.]+' not found/.test(output)) {
    return new ForgewrightError(
      `${binary} needs a newer glibc than this machine has; use the container image, or build the binary here ` +
        `with \`cargo install --path .\` and set FORGEWRIGHT_BINARY to its path (${firstLine})`,
    );
  }
  return new ForgewrightError(
    `${binary} does not run on this machine: it is for another processor or needs glibc; install the package ` +
      `for this platform, or use the container image (${firstLine})`,
  );
}

/** Returns the error of a server that exited during its start, from its log. */
export function startError(log) {
  const text = log.trim();
  const lines = text.split("\n");
  const from = lines.findLastIndex((line) => line.startsWith("forgewright: ") || line.startsWith("error: "));
  return new ForgewrightError(from < 0 ? text || "the server exited without an error message" : lines.slice(from).join("\n"));
}

/** Returns the error for an error response of the control API. */
export function controlError(request, status, text) {
  let message = text.trim();
  try {
    const failure = JSON.parse(text);
    const causes = (failure.errors ?? []).map((problem) => problem.message ?? `${problem.field}: ${problem.code}`);
    message = causes.length ? causes.join("\n") : failure.message;
  } catch {
    // Not a response of the control API, but of a proxy or another server.
  }
  const error = new ForgewrightError(`${message || "no error message"} (${request} returned ${status})`);
  return Object.assign(error, { status });
}
