// The package `octokit`: the same client with retries, throttling and the App class.
// The server of this test allows three anonymous requests per hour.

import assert from "node:assert/strict";
import { test } from "node:test";
import { App, Octokit } from "octokit";
import { baseUrl, gadgets, privateKey, refused } from "./clients.js";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const never = () => false;

test("the client retries a conflict before it throws", async () => {
  let sent = 0;
  const counting = (...request) => {
    sent += 1;
    return fetch(...request);
  };
  const octokit = new Octokit({
    baseUrl,
    auth: "alice-classic",
    log,
    request: { fetch: counting },
    retry: { retries: 2, retryAfterBaseValue: 50 },
    throttle: { onRateLimit: never, onSecondaryRateLimit: never },
  });
  const read = (repo) => octokit.rest.git.getRef({ owner: "acme", repo, ref: "heads/none" });
  await refused(() => read("empty"), 409, "Git Repository is empty.");
  assert.equal(sent, 3);
  await refused(() => read("gadgets"), 404, "Not Found");
  assert.equal(sent, 4, "the client does not retry a 404");
});

test("an exceeded rate limit calls onRateLimit with the time to wait", async () => {
  const waits = [];
  const octokit = new Octokit({
    baseUrl,
    log,
    throttle: {
      onRateLimit(seconds) {
        waits.push(seconds);
        return false;
      },
      onSecondaryRateLimit() {
        assert.fail("it is the primary limit");
      },
    },
  });
  const read = () => octokit.rest.git.getRef({ ...gadgets, ref: "heads/main" });
  for (let left = 3; left > 0; left -= 1) {
    assert.equal((await read()).headers["x-ratelimit-remaining"], String(left - 1));
  }
  await refused(read, 403, "API rate limit exceeded for 127.0.0.1.");
  assert.equal(waits.length, 1);
  assert.ok(waits[0] > 3000 && waits[0] <= 3601, `${waits[0]} seconds`);
  const { data } = await octokit.rest.rateLimit.get();
  assert.equal(data.resources.core.remaining, 0);
});

test("the App class iterates over each installation and each repository", async () => {
  const app = new App({ appId: 6001, privateKey, Octokit: Octokit.defaults({ baseUrl, log }) });
  const seen = [];
  for await (const { octokit, repository } of app.eachRepository.iterator()) {
    const { data } = await octokit.rest.git.listMatchingRefs({ owner: "acme", repo: repository.name, ref: "heads/main" });
    seen.push([repository.full_name, data.length]);
  }
  assert.deepEqual(seen, [["acme/widgets", 1], ["acme/gadgets", 1]]);
});
