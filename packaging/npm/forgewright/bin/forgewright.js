#!/usr/bin/env node
// The command line: the binary of this platform, with the same arguments, streams and signals.
import { spawn } from "node:child_process";
import { checkBinary, findBinary } from "../binary.js";
import { ForgewrightError } from "../errors.js";

try {
  const binary = checkBinary(findBinary());
  const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
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
  });
} catch (error) {
  if (!(error instanceof ForgewrightError)) throw error;
  console.error(`forgewright: ${error.message}`);
  process.exitCode = 1;
}
