// The unmodified package `octokit` with injected faults: its retry plugin repeats failed
// requests, and its throttling plugin waits for rate limits.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Octokit } from "octokit";
import { baseUrl, gadgets, tip } from "./clients.js";
import { clear, fault } from "./faults.js";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const limits = [];
const patient = (kind) => (seconds, _options, _octokit, retries) => {
  limits.push([kind, seconds]);
  return retries < 1;
};
const throttle = { onRateLimit: patient("primary"), onSecondaryRateLimit: patient("secondary") };
const octokit = new Octokit({ baseUrl, auth: "alice-classic", log, throttle, retry: { retryAfterBaseValue: 50 } });
const main = { ...gadgets, ref: "heads/main" };

afterEach(async () => {
  limits.length = 0;
  await clear();
});

async function timed(call) {
  const started = performance.now();
  const response = await call();
  return [response, (performance.now() - started) / 1000];
}

for (const status of [500, 502, 503, 504]) {
  test(`the client retries after status ${status}`, async () => {
    const used = await fault({ operation: "get_ref", effect: "status", status, times: 2 });
    assert.equal((await octokit.rest.git.getRef(main)).status, 200);
    assert.equal(await used(), 2);
  });
}

test("the client gives up on a permanent 502", async () => {
  const used = await fault({ operation: "get_ref", effect: "status", status: 502 });
  await assert.rejects(octokit.rest.git.getRef(main), { status: 502, message: /^Server Error/ });
  assert.equal(await used(), 4);
});

for (const effect of ["drop", "truncate"]) {
  test(`the client retries after a connection error: ${effect}`, async () => {
    const used = await fault({ operation: "get_ref", effect, times: 1 });
    assert.equal((await octokit.rest.git.getRef(main)).status, 200);
    assert.equal(await used(), 1);
  });
}

test("the client waits for the secondary rate limit", async () => {
  const used = await fault({ operation: "get_ref", effect: "secondary_limit", retry_after: 1, times: 1 });
  const [response, seconds] = await timed(() => octokit.rest.git.getRef(main));
  assert.deepEqual([response.status, await used(), limits], [200, 1, [["secondary", 1]]]);
  assert.ok(seconds >= 1, `${seconds} s`);
});

test("the client waits for the primary rate limit to reset", async () => {
  const used = await fault({ operation: "get_ref", effect: "primary_limit", reset_after: 1, times: 1 });
  const [response, seconds] = await timed(() => octokit.rest.git.getRef(main));
  assert.deepEqual([response.status, await used(), limits.length, limits[0][0]], [200, 1, 1, "primary"]);
  assert.ok(limits[0][1] <= 3 && seconds >= 1, `${limits} ${seconds} s`);
});

test("the client retries a write whose response was lost, and the retry fails", async () => {
  const used = await fault({ operation: "create_ref", effect: "status", status: 502, after: true, times: 1 });
  const ref = { ...gadgets, ref: "refs/heads/lost", sha: await tip("main") };
  await assert.rejects(octokit.rest.git.createRef(ref), { status: 422, message: /^Reference already exists/ });
  assert.equal(await used(), 1);
  assert.equal((await octokit.rest.git.deleteRef({ ...gadgets, ref: "heads/lost" })).status, 204);
});

test("the client returns malformed JSON as text", async () => {
  const used = await fault({ operation: "get_ref", effect: "malformed", times: 1 });
  const { data } = await octokit.rest.git.getRef(main);
  assert.equal(typeof data, "string");
  assert.equal(await used(), 1);
});
