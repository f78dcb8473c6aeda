// Finds the binary of this platform, and checks that it is of the version of this package.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ForgewrightError, unusable } from "./errors.js";

const require = createRequire(import.meta.url);

export const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));

/** The name of the package with the binary: `forgewright-linux-x64-gnu`. */
export function platformPackage() {
  const libc = process.platform === "linux" ? (isGlibc() ? "-gnu" : "-musl") : "";
  return `forgewright-${process.platform}-${process.arch}${libc}`;
}

function isGlibc() {
  return Boolean(process.report.getReport().header.glibcVersionRuntime);
}

/** The path of the binary; FORGEWRIGHT_BINARY may name another. */
export function findBinary() {
  if (process.env.FORGEWRIGHT_BINARY) return process.env.FORGEWRIGHT_BINARY;
  const name = platformPackage();
  try {
    const program = process.platform === "win32" ? "forgewright.exe" : "forgewright";
    return join(dirname(require.resolve(`${name}/package.json`)), "bin", program);
  } catch {
    throw new ForgewrightError(
      `there is no binary for this platform: the package ${name} is not installed. If it was left out ` +
        "(--omit=optional, or a node_modules of another platform), install again here; if there is no such " +
        "package, build one with `cargo install --path .` and name it in FORGEWRIGHT_BINARY",
    );
  }
}

/** Refuses a binary that does not run here, or that has another version than this package. */
export function checkBinary(path) {
  if (!existsSync(path)) {
    throw new ForgewrightError(`there is no binary at ${path}; name one that exists, in \`binary\` or FORGEWRIGHT_BINARY`);
  }
  let output;
  try {
    output = execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 10_000 });
  } catch (error) {
    throw unusable(error.stderr || error.message, path);
  }
  const found = output.split(/\s+/)[1];
  if (found !== version) {
    throw new ForgewrightError(
      `${path} has version ${found}, but this package has ${version}; install both in the same version`,
    );
  }
  return path;
}
