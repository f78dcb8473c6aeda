// Serves a Probot app at the webhook URL of ci-bot, and a client for the user who triggers it.

import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { Octokit } from "@octokit/rest";
import { Probot, Server } from "probot";

const baseUrl = process.env.FORGEWRIGHT_URL;
const privateKey = readFileSync(process.env.CLIENT_KEY, "utf8");

export const alice = new Octokit({ baseUrl, auth: "alice-classic" });
export const gadgets = { owner: "acme", repo: "gadgets" };

/** Serves an app while the tests of the file run. */
export function serve(app) {
  const server = new Server({
    Probot: Probot.defaults({ appId: 6001, privateKey, secret: "hush", baseUrl, logLevel: "fatal" }),
    port: Number(process.env.HOOK_PORT),
    host: "127.0.0.1",
  });
  before(async () => {
    await server.load(app);
    await server.start();
  });
  after(() => server.stop());
}

/** Polls until `find` returns something, for at most ten seconds. */
export async function until(what, find) {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = await find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`timed out after ten seconds waiting for ${what}`);
}
