// An app of Probot that listens where the world sends the webhooks of ci-bot, and a person who gives it something to do.

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

/** Waits until something is there, for ten seconds at most. */
export async function until(what, found) {
  for (let tries = 0; tries < 100; tries += 1) {
    const there = await found();
    if (there) return there;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`within ten seconds there was not ${what}`);
}
