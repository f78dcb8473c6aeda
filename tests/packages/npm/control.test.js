// The control functions of the npm package: isolation, clock, journal, faults, deliveries and
// snapshots.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { Octokit } from "@octokit/rest";
import { ForgewrightError, connect, start } from "forgewright";

const gadgets = { owner: "acme", repo: "gadgets" };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const client = (world, holder = "alice") => new Octokit({ baseUrl: world.url, auth: world.token(holder), log: quiet }).rest;
const tip = async (octokit) => (await octokit.git.getRef({ ...gadgets, ref: "heads/main" })).data.object.sha;
const branch = async (octokit, name) => octokit.git.createRef({ ...gadgets, ref: `refs/heads/${name}`, sha: await tip(octokit) });
/** The options of `wait` for what takes long on a busy machine. */
const patient = { timeout: 60_000 };
/** Awaits a world or server and disposes of it after the test. */
const disposed = async (t, promise) => {
  const resource = await promise;
  t.after(() => resource[Symbol.asyncDispose]());
  return resource;
};
const failing = (message) => (error) => {
  assert(error instanceof ForgewrightError, error.stack);
  assert.match(error.message, message);
  return true;
};

let forge;
before(async () => {
  forge = await start();
});
after(() => forge.stop());

test("worlds share nothing and can be created from every kind of source", async (t) => {
  const first = await forge.world({ name: "first" });
  await branch(client(first), "news");
  const second = await disposed(t, forge.world());
  await assert.rejects(client(second).git.getRef({ ...gadgets, ref: "heads/news" }), { status: 404 });
  const copy = await disposed(t, forge.world({ copyOf: first }));
  assert.equal((await client(copy).git.getRef({ ...gadgets, ref: "heads/news" })).status, 200);
  const empty = await disposed(t, forge.world({ template: "empty" }));
  assert.deepEqual((await empty.contents()).accounts, []);
  const text = "users: [{login: zoe}]\ntokens: [{kind: classic, user: zoe}]\n";
  writeFileSync("zoe.yaml", text);
  for (const world of [text, "zoe.yaml", { users: [{ login: "zoe" }], tokens: [{ kind: "classic", user: "zoe" }] }]) {
    const created = await disposed(t, forge.world({ world }));
    assert.equal((await client(created, "zoe").users.getAuthenticated()).data.login, "zoe");
  }
  assert.match(second.app("ci-bot").private_key, /PRIVATE KEY/);
  assert.deepEqual((await forge.worlds()).map(({ name }) => name).filter((name) => name === "first"), ["first"]);
  await first.delete();
  await first.delete();
});

test("an error of the server is thrown with its message", async () => {
  await assert.rejects(forge.world({ world: { users: [{ logn: "zoe" }] } }), failing(/file:\d+:\d+: .*did you mean `login`.*422/s));
  await assert.rejects(forge.world({ name: "Not a name" }), failing(/lower-case letters/));
  await assert.rejects(forge.world({ template: "demo", copyOf: "main" }), failing(/only one of/));
  await assert.rejects(forge.world({ world: "missing.yaml" }), failing(/cannot read the world file missing\.yaml/));
  await assert.rejects(forge.snapshots.restore("never"), failing(/never/));
  await assert.rejects(forge.faults.add({ effect: "status", status: 200 }), failing(/422/));
  await assert.rejects(forge.journal.explain({}), failing(/X-GitHub-Request-Id/));
  await assert.rejects(forge.delete(), failing(/call stop/));
  await assert.rejects(connect("http://127.0.0.1:9"), failing(/does not respond/));
});

test("each world has its own clock", async (t) => {
  const world = await disposed(t, forge.world());
  const frozen = await world.clock.freeze(new Date("2030-01-01T00:00:00Z"));
  assert.deepEqual([frozen.now, frozen.frozen], ["2030-01-01T00:00:00Z", true]);
  assert.equal((await world.clock.advance({ hours: 1, minutes: 30 })).now, "2030-01-01T01:30:00Z");
  assert.equal((await world.clock.advance(-60)).now, "2030-01-01T01:29:00Z");
  assert.equal((await world.clock.advance(0.4)).now, "2030-01-01T01:29:00Z");
  assert.equal((await world.clock.advance({ hours: 0.0001 })).now, "2030-01-01T01:29:00Z");
  const { headers } = await client(world).meta.root();
  assert.equal(headers.date, "Tue, 01 Jan 2030 01:29:00 GMT");
  assert.equal((await world.clock.unfreeze()).frozen, false);
  assert.equal((await world.clock.set("2031-01-01T00:00:00Z")).now.slice(0, 4), "2031");
  assert.equal((await forge.clock.get()).offset, 0);
  assert.equal((await world.clock.release()).offset, 0);
});

test("the journal lists requests, waits for them and explains them", async (t) => {
  const world = await disposed(t, forge.world());
  const waiting = world.journal.wait({ operation: "create_ref", status: 201 }, patient);
  await branch(client(world), "journal");
  const entry = await waiting;
  assert.deepEqual([entry.method, entry.caller.login], ["POST", "alice"]);
  assert.equal((await world.journal.get(entry.request_id)).id, entry.id);
  const refused = await client(world, "dave").git.getRef({ owner: "acme", repo: "widgets", ref: "heads/main" }).catch((error) => error);
  assert.equal(refused.status, 404);
  const explanation = await world.journal.explain(refused);
  assert.match(explanation.line, /acme\/widgets.*404/);
  assert(explanation.steps.at(-1).advice.length > 0);
  const response = await fetch(`${world.url}/user`);
  assert.match((await world.journal.explain(response)).line, /No token/);
  await world.journal.clear();
  assert.deepEqual(await world.journal.list(), []);
  await client(world).meta.root();
  await assert.rejects(world.journal.wait({ status: 418 }, { timeout: 100 }), failing(/no request matched .*418.* within 100 ms.*GET \//s));
  assert.equal((await world.journal.wait({}, { timeout: 0 })).path, "/");
});

test("wait ends although the server still waits, and before a test of Vitest or Jest does", async (t) => {
  // The first request of `wait` gets no response.
  const waits = [];
  const silent = createServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://silent");
    if (searchParams.has("wait")) waits.push(searchParams.get("wait"));
    else response.end(pathname.endsWith("/contents") ? '{"tokens": [], "apps": []}' : "[]");
  }).listen(0, "127.0.0.1");
  t.after(() => silent.closeAllConnections());
  t.after(() => silent.close());
  await once(silent, "listening");
  const other = await connect(`http://127.0.0.1:${silent.address().port}`);
  t.after(() => other.stop());
  await assert.rejects(other.journal.wait({}, { timeout: 100 }), failing(/within 100 ms; there are none at all/));
  await assert.rejects(other.deliveries.wait(), failing(/within 4000 ms; there are none at all/));
  assert.deepEqual(waits, ["1", "4"]);
});

test("an unknown option, filter or unit is rejected", async () => {
  const rejected = (promise, message) => assert.rejects(promise, { name: "TypeError", message });
  const filters = /^unknown filter `opration`; use one of: method, path, operation,/;
  await rejected(forge.journal.list({ opration: "create_ref" }), filters);
  await rejected(forge.journal.wait({ opration: "create_ref" }), filters);
  await rejected(forge.journal.wait({}, { timout: 100 }), /^unknown option of wait `timout`; use one of: timeout$/);
  await rejected(forge.journal.wait({}, 100), /^expected an object with a key for each option of wait \(timeout\), not 100$/);
  await rejected(forge.journal.wait({}, { timeout: "1s" }), /^`timeout` must be a number, not '1s'$/);
  await rejected(forge.deliveries.list({ evnt: "push" }), /^unknown filter `evnt`/);
  await rejected(forge.deliveries.wait("push"), /^expected an object with a key for each filter \(event, .*, not 'push'$/);
  await rejected(forge.deliveries.wait({ event: "pull_request.opened" }), /use { event: "pull_request", action: "opened" }$/);
  await rejected(forge.deliveries.wait({ evnt: "push" }), /^unknown filter `evnt`/);
  await rejected(forge.clock.advance({ hour: 1 }), /^unknown unit `hour`; use one of: days, hours, minutes, seconds$/);
  await rejected(forge.clock.advance("1h"), /^expected a number of seconds or an object such as { hours: 1 }, not '1h'$/);
  await rejected(forge.clock.set(), /^expected a Date, or a date and time in ISO 8601, not undefined$/);
  await rejected(forge.clock.advance(), /{ hours: 1 }, not undefined$/);
  await rejected(forge.clock.advance({ hours: "1" }), /^`hours` must be a number, not '1'$/);
  await rejected(forge.world({ copy_of: "main" }), /^unknown option of world `copy_of`.* copyOf$/);
  await rejected(forge.contents({ perPage: 1 }), /^unknown option of contents `perPage`/);
  await rejected(start({ wrld: {} }), /^unknown option of start `wrld`/);
  await rejected(connect(forge.url, { tokn: "" }), /^unknown option of connect `tokn`/);
});

test("a fault makes a limited number of requests fail", async (t) => {
  const world = await disposed(t, forge.world());
  const fault = await world.faults.add({ operation: "create_ref", effect: "status", status: 502, times: 1 });
  await assert.rejects(branch(client(world), "faulty"), { status: 502 });
  await branch(client(world), "faulty");
  assert.equal((await world.faults.get(fault.id)).used, 1);
  await world.faults.add({ effect: "drop" });
  assert.equal((await world.faults.list()).length, 2);
  await world.faults.delete(fault.id);
  await world.faults.clear();
  assert.deepEqual(await world.faults.list(), []);
});

test("deliveries can be listed, awaited, paused and redelivered", async (t) => {
  const received = [];
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const signature = `sha256=${createHmac("sha256", "hush").update(body).digest("hex")}`;
    received.push([request.headers["x-github-event"], request.headers["x-hub-signature-256"] === signature]);
    response.end("thanks");
  }).listen(0, "127.0.0.1");
  t.after(() => receiver.close());
  await once(receiver, "listening");
  const world = await disposed(t, forge.world({ world: hooked(receiver.address().port) }));
  const alice = client(world);
  const { data: head } = await alice.git.getRef({ ...gadgets, ref: "heads/main" });
  await world.deliveries.pause();
  await alice.git.createRef({ ...gadgets, ref: "refs/heads/hooks", sha: head.object.sha });
  const waiting = await world.deliveries.wait({ event: "create" });
  assert.deepEqual([waiting.status, received.length], ["pending", 0]);
  await world.deliveries.resume();
  const delivered = await world.deliveries.wait({ event: "create", status: "delivered" }, patient);
  assert.deepEqual([delivered.response.body, delivered.request.payload.ref], ["thanks", "hooks"]);
  const again = await world.deliveries.redeliver(delivered);
  assert.equal(again.guid, delivered.guid);
  await world.deliveries.wait({ event: "create", status: "delivered", after: delivered.id }, patient);
  assert.deepEqual(received, [["create", true], ["create", true]]);
  assert.equal((await world.deliveries.get(delivered.id)).id, delivered.id);
  assert.equal((await world.deliveries.list({ event: "push" })).length, 0);
  await assert.rejects(world.deliveries.wait({ event: "delete" }, { timeout: 100 }), failing(/no delivery matched .*create to helper: delivered/s));
});

const hooked = (port) => ({
  users: [{ login: "alice" }],
  organizations: [{ login: "acme", members: [{ login: "alice", role: "admin" }] }],
  repositories: [{ full_name: "acme/gadgets", git: { commits: [{ id: "first", message: "Begin", files: { "README.md": "Hello\n" } }], refs: { "refs/heads/main": "first" } } }],
  apps: [
    {
      slug: "helper",
      name: "Helper",
      owner: "acme",
      permissions: { contents: "read" },
      events: ["create"],
      webhook: { url: `http://127.0.0.1:${port}/`, secret: "hush" },
    },
  ],
  installations: [{ app: "helper", account: "acme" }],
  tokens: [{ kind: "classic", user: "alice", scopes: ["repo"] }],
});

test("a world can be restored to a snapshot and reset to its initial state", async (t) => {
  const world = await disposed(t, forge.world());
  const alice = client(world);
  await branch(alice, "kept");
  await world.snapshots.make("with-branch");
  await alice.git.deleteRef({ ...gadgets, ref: "heads/kept" });
  await world.snapshots.restore("with-branch");
  assert.equal((await alice.git.getRef({ ...gadgets, ref: "heads/kept" })).status, 200);
  assert((await world.snapshots.list()).some(({ name }) => name === "with-branch"));
  await world.snapshots.delete("with-branch");
  await world.reset();
  await assert.rejects(alice.git.getRef({ ...gadgets, ref: "heads/kept" }), { status: 404 });
});

test("connect uses a running server, and stop leaves it running", async (t) => {
  const other = await connect(forge.url);
  assert.equal(other.token("alice"), forge.token("alice"));
  const world = await disposed(t, other.world());
  assert.equal((await client(world).users.getAuthenticated()).data.login, "alice");
  await other.stop();
  assert.equal((await fetch(`${forge.url}/meta`)).status, 200);
});

test("connect finds all tokens", async (t) => {
  const users = Array.from({ length: 101 }, (_, number) => ({ login: `user-${number}` }));
  const tokens = users.map(({ login }) => ({ kind: "classic", user: login }));
  const server = await disposed(t, start({ world: { users, tokens } }));
  const other = await disposed(t, connect(server.url));
  const values = (world) => world.tokens.map(({ value }) => value).sort();
  assert.equal(other.tokens.length, 101);
  assert.deepEqual(values(other), values(server));
});

test("a public server with HTTPS is controlled with a token", async (t) => {
  const secure = await disposed(t, start({ listen: "0.0.0.0:0", args: ["--tls-dev", "--allow-demo-tokens"] }));
  assert.match(secure.url, /^https:/);
  const world = await secure.world();
  assert.equal((await world.clock.get()).offset, 0);
});
