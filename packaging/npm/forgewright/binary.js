// Finds the binary for this platform, and checks that its version is that of this package.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ForgewrightError, unusableBinary } from "./errors.js";

const require = createRequire(import.meta.url);

export const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));

/** Returns the name of the package with the binary, such as `forgewright-linux-x64-gnu`. */
export function platformPackage() {
  const libc = process.platform === "linux" ? (isGlibc() ? "-gnu" : "-musl") : "";
  return `forgewright-${process.platform}-${process.arch}${libc}`;
}

function isGlibc() {
  return Boolean(process.report.getReport().header.glibcVersionRuntime);
}

/** Returns the path of the binary. The variable FORGEWRIGHT_BINARY overrides it. */
export function findBinary() {
  if (process.env.FORGEWRIGHT_BINARY) return process.env.FORGEWRIGHT_BINARY;
  const name = platformPackage();
  try {
    const program = process.platform === "win32" ? "forgewright.exe" : "forgewright";
    return join(dirname(require.resolve(`${name}/package.json`)), "bin", program);
  } catch {
    throw new ForgewrightError(
      `there is no binary for this platform: the package ${name} is not installed. If npm omitted it ` +
        "(--omit=optional, or node_modules from another platform), reinstall on this machine. If the package " +
        "does not exist, build the binary with `cargo install --path .` and set FORGEWRIGHT_BINARY to its path",
    );
  }
}

/** Returns `path`. Throws if the binary does not run, or if its version is not that of this package. */
export function checkBinary(path) {
  if (!existsSync(path)) {
    throw new ForgewrightError(`there is no binary at ${path}; correct the option \`binary\` or the variable FORGEWRIGHT_BINARY`);
  }
  let output;
  try {
    output = execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 10_000 });
  } catch (error) {
    throw unusableBinary(error.stderr || error.message, path);
  }
  const found = output.split(/\s+/)[1];
  if (found !== version) {
    throw new ForgewrightError(
      `${path} has version ${found}, but this package has ${version}; install the same version of both`,
    );
  }
  return path;
}
