#!/usr/bin/env node
// The command line: the binary of this platform, with the same arguments, streams and signals.
import { spawn } from "node:child_process";
import { checkBinary, findBinary } from "../binary.js";
import { ForgewrightError } from "../errors.js";
import { whenOrphaned } from "../parent.js";

const words = process.argv.slice(2);

/** Starts a server so that it ends with this process, also when that is killed: the pipe closes. */
function serve(binary) {
  const env = { ...process.env, FORGEWRIGHT_EXIT_WITH_STDIN: "true" };
  const child = spawn(binary, words, { stdio: ["pipe", "inherit", "inherit"], env });
  child.stdin.on("error", () => {});
  if (words.includes("--exit-with-stdin") || process.env.FORGEWRIGHT_EXIT_WITH_STDIN) process.stdin.pipe(child.stdin);
  return child;
}

try {
  const binary = checkBinary(findBinary());
  const serves = words[0] === undefined || words[0] === "serve" || words[0].startsWith("-");
  const child = serves ? serve(binary) : spawn(binary, words, { stdio: "inherit" });
  // npx cannot take this process along when it is killed.
  if (process.env.npm_command === "exec") whenOrphaned(() => child.kill("SIGTERM"), { throughShell: true });
  // Ctrl-C reaches the child by itself; both wait for its end.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => signal === "SIGINT" || child.kill(signal));
  }
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
