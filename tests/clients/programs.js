// Helpers for tests of whole programs: they run a program like a user, check its effects, and
// read from the server's journal which operations it missed.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Octokit } from "@octokit/rest";

export const baseUrl = process.env.FORGEWRIGHT_URL;
assert(baseUrl, "run this through tests/clients/run, which starts a server");

export const alice = new Octokit({ baseUrl, auth: "alice-classic" });
export const gadgets = { owner: "acme", repo: "gadgets" };

/** Runs a program with only PATH from the environment; returns its exit code and its output. */
export async function run(program, parameters, { cwd, env } = {}) {
  const child = spawn(program, parameters, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { code, output };
}

/** The server's explanations of requests without an operation, without duplicates. */
export async function missing() {
  const journal = await fetch(`${baseUrl}/_forgewright/worlds/main/journal?status=404&per_page=100`);
  assert.equal(journal.status, 200);
  const refused = (await journal.json()).flatMap(({ explanation }) => explanation.steps).filter(({ check, outcome }) => check === "route" && outcome === "refused");
  return [...new Set(refused.map(({ sentence }) => sentence))];
}
