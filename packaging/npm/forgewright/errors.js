// Errors that say what to do.

/** Why a server could not be started. */
export class ForgewrightError extends Error {
  name = "ForgewrightError";
}

/** What a binary said before it ended, with what to do about it. */
export function explained(output, binary) {
  const said = String(output).trim();
  if (/GLIBC_[\d.]+' not found/.test(said)) {
    return new ForgewrightError(
      `${binary} needs a newer glibc than this machine has; use the container image, or build it here with ` +
        `\`cargo install --path .\` and name it in FORGEWRIGHT_BINARY (${said.split("\n")[0]})`,
    );
  }
  if (/ENOENT|ENOEXEC|Exec format error/.test(said)) {
    return new ForgewrightError(
      `${binary} does not run on this machine: it is for another processor or needs glibc; install the package ` +
        `of this platform, or use the container image (${said.split("\n")[0]})`,
    );
  }
  const lines = said.split("\n");
  const from = lines.findLastIndex((line) => line.startsWith("forgewright: ") || line.startsWith("error: "));
  return new ForgewrightError(from < 0 ? said || "the server ended without a word" : lines.slice(from).join("\n"));
}
