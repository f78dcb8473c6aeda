// Tests a Probot app. The app needs no port: the test waits for the webhook and passes it to the app.
import { expect } from "vitest";
import { Octokit } from "@octokit/rest";
import { Probot } from "probot";
import { test } from "forgewright/vitest";
import greeter from "./greeter.js";

const gadgets = { owner: "acme", repo: "gadgets" };

/** Returns the app as it runs in production, connected to a world. */
async function loadGreeter(forge) {
  const { id: appId, private_key: privateKey } = forge.app("ci-bot");
  const probot = new Probot({ appId, privateKey, baseUrl: forge.url, logLevel: "fatal" });
  await probot.load(greeter);
  return probot;
}

test("the app greets the author of a pull request", async ({ forge }) => {
  const { rest: alice } = new Octokit({ baseUrl: forge.url, auth: forge.token("alice") });
  const { data: main } = await alice.git.getRef({ ...gadgets, ref: "heads/main" });
  const commit = { message: "Say hello", tree: main.object.sha, parents: [main.object.sha] };
  commit.tree = (await alice.git.getCommit({ ...gadgets, commit_sha: main.object.sha })).data.tree.sha;
  const { data: head } = await alice.git.createCommit({ ...gadgets, ...commit });
  await alice.git.createRef({ ...gadgets, ref: "refs/heads/hello", sha: head.sha });
  const { data: pull } = await alice.pulls.create({ ...gadgets, title: "Say hello", head: "hello", base: "main" });

  const { guid, event, request } = await forge.deliveries.wait({ event: "pull_request", action: "opened" });
  const probot = await loadGreeter(forge);
  await probot.receive({ id: guid, name: event, payload: request.payload });

  const { data: reviews } = await alice.pulls.listReviews({ ...gadgets, pull_number: pull.number });
  expect(reviews.map(({ user, body }) => [user.login, body])).toEqual([["ci-bot[bot]", "Thank you, @alice."]]);
});
