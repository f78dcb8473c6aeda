#!/usr/bin/env node
// The command line: runs the binary for this platform with the same arguments, streams and signals.
import { spawn } from "node:child_process";
import { isatty } from "node:tty";
import { checkBinary, findBinary } from "../binary.js";
import { ForgewrightError } from "../errors.js";
import { whenOrphaned } from "../lifetime.js";

const args = process.argv.slice(2);

/** Starts a server that exits when this process exits or is killed, because the pipe closes. */
function serve(binary) {
  const env = { ...process.env, FORGEWRIGHT_EXIT_WITH_STDIN: "true" };
  const child = spawn(binary, args, { stdio: ["pipe", "inherit", "inherit"], env });
  child.stdin.on("error", () => {});
  if (args.includes("--exit-with-stdin") || process.env.FORGEWRIGHT_EXIT_WITH_STDIN) process.stdin.pipe(child.stdin);
  return child;
}

try {
  const binary = checkBinary(findBinary());
  const serves = args[0] === undefined || args[0] === "serve" || args[0].startsWith("-");
  const child = serves ? serve(binary) : spawn(binary, args, { stdio: "inherit" });
  // npx does not stop this process when npx is killed.
  if (process.env.npm_command === "exec") whenOrphaned(() => child.kill("SIGTERM"), { throughShell: true });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A terminal also sends Ctrl-C to the child: this process only waits for it to exit.
  process.on("SIGINT", () => isatty(0) || child.kill("SIGINT"));
  child.on("error", (error) => {
    console.error(`forgewright: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = signal ? 1 : code;
    process.stdin.unref?.();
  });
} catch (error) {
  if (!(error instanceof ForgewrightError)) throw error;
  console.error(`forgewright: ${error.message}`);
  process.exitCode = 1;
}
