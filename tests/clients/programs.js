// What the tests of whole programs share: they run one as a user would, look at what it left
// behind, and ask the server's journal what it asked for in vain.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Octokit } from "@octokit/rest";

export const baseUrl = process.env.FORGEWRIGHT_URL;
assert(baseUrl, "run this through tests/clients/run, which starts a server");

export const alice = new Octokit({ baseUrl, auth: "alice-classic" });
export const gadgets = { owner: "acme", repo: "gadgets" };

/** Runs a program with nothing of the caller's environment but PATH; returns its exit code and what it printed. */
export async function run(program, parameters, { cwd, env } = {}) {
  const child = spawn(program, parameters, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { code, output };
}

/** The requests that the server had no operation for, each once, in its own words. */
export async function missing() {
  const journal = await fetch(`${baseUrl}/_forgewright/worlds/main/journal?status=404&per_page=100`);
  assert.equal(journal.status, 200);
  const refused = (await journal.json()).flatMap(({ explanation }) => explanation.steps).filter(({ check, outcome }) => check === "route" && outcome === "refused");
  return [...new Set(refused.map(({ sentence }) => sentence))];
}
