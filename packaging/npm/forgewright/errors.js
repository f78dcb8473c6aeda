// Errors that say what to do.

/** Why a server could not be started, or why it refused something: then it has its `status`. */
export class ForgewrightError extends Error {
  name = "ForgewrightError";
}

/** Why a binary cannot even say its version. */
export function unusable(output, binary) {
  const [said] = String(output).trim().split("\n");
  if (/GLIBC_[\d.]+' not found/.test(output)) {
    return new ForgewrightError(
      `${binary} needs a newer glibc than this machine has; use the container image, or build it here with ` +
        `\`cargo install --path .\` and name it in FORGEWRIGHT_BINARY (${said})`,
    );
  }
  return new ForgewrightError(
    `${binary} does not run on this machine: it is for another processor or needs glibc; install the package ` +
      `of this platform, or use the container image (${said})`,
  );
}

/** What a server said before it ended. */
export function lastWords(log) {
  const said = log.trim();
  const lines = said.split("\n");
  const from = lines.findLastIndex((line) => line.startsWith("forgewright: ") || line.startsWith("error: "));
  return new ForgewrightError(from < 0 ? said || "the server ended without a word" : lines.slice(from).join("\n"));
}

/** The answer with which the control API refused a request, in words. */
export function refusal(request, status, text) {
  let message = text.trim();
  try {
    const failure = JSON.parse(text);
    const causes = (failure.errors ?? []).map((problem) => problem.message ?? `${problem.field}: ${problem.code}`);
    message = causes.length ? causes.join("\n") : failure.message;
  } catch {
    // Not from the control API: a proxy, or a server without it.
  }
  const error = new ForgewrightError(`${message || "no reason given"} (${request} was answered with ${status})`);
  return Object.assign(error, { status });
}
