// Calls every operation once with the unmodified package `octokit`, including its retry and
// throttling plugins. The plugins wait a second between writes, so this test is slow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { App, Octokit } from "octokit";
import { baseUrl, gadgets, privateKey, refused } from "./clients.js";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const limited = (seconds) => assert.fail(`limited for ${seconds} seconds`);
const throttle = { onRateLimit: limited, onSecondaryRateLimit: limited };
const as = (auth) => new Octokit({ baseUrl, auth, log, throttle });
const alice = as("alice-classic");
const through = as("alice-through-ci-bot");
const app = new App({ appId: 6001, privateKey, Octokit: Octokit.defaults({ baseUrl, log, throttle }) });

/** Every item of a list, read with the client's iterator. */
async function every(octokit, method, parameters) {
  const items = [];
  for await (const { data } of octokit.paginate.iterator(method, { per_page: 1, ...parameters })) items.push(...data);
  return items;
}
const names = (items) => items.map(({ name }) => name);

test("project fields", async () => {
  const { projects } = alice.rest;
  for (const [project, list, get, owner] of [
    [{ org: "acme", project_number: 1 }, projects.listFieldsForOrg, projects.getFieldForOrg, "orgs/{org}"],
    [{ username: "alice", project_number: 1 }, projects.listFieldsForUser, projects.getFieldForUser, "users/{username}"],
  ]) {
    const add = `POST /${owner}/projectsV2/{project_number}/fields`;
    const { data: added } = await alice.request(add, { ...project, name: "Throttled", data_type: "text" });
    const { data: read } = await get({ ...project, field_id: added.id });
    assert.deepEqual(read, added);
    assert.equal(names(await every(alice, list, project)).at(-1), "Throttled");
  }
});

test("issue fields", async () => {
  const base = "/orgs/acme/issue-fields";
  const { data: created } = await alice.request(`POST ${base}`, { name: "Throttled", data_type: "text" });
  const { data: changed } = await alice.request(`PATCH ${base}/{id}`, { id: created.id, description: "Slowly" });
  assert.equal(changed.description, "Slowly");
  assert.ok(names((await alice.request(`GET ${base}`)).data).includes("Throttled"));
  assert.equal((await alice.request(`DELETE ${base}/{id}`, { id: created.id })).status, 204);
});

test("references", async () => {
  const { git } = alice.rest;
  const { data: main } = await git.getRef({ ...gadgets, ref: "heads/main" });
  const { data: created } = await git.createRef({ ...gadgets, ref: "refs/heads/throttled/x", sha: main.object.sha });
  const { data: digit } = await git.getRef({ ...gadgets, ref: "heads/feature/a" });
  const { data: moved } = await git.updateRef({ ...gadgets, ref: "heads/throttled/x", sha: digit.object.sha });
  assert.deepEqual([created.ref, moved.object.sha], ["refs/heads/throttled/x", digit.object.sha]);
  const { data: listed } = await git.listMatchingRefs({ ...gadgets, ref: "heads/throttled" });
  assert.deepEqual(listed, [moved]);
  assert.equal((await git.deleteRef({ ...gadgets, ref: "heads/throttled/x" })).status, 204);
});

test("review comments", async () => {
  const { pulls } = alice.rest;
  const pull = { ...gadgets, pull_number: 1 };
  const { data: head } = await alice.rest.git.getRef({ ...gadgets, ref: "heads/feature/a" });
  const position = { ...pull, commit_id: head.object.sha, path: "README.md", line: 2 };
  const { data: comment } = await pulls.createReviewComment({ ...position, body: "Slowly" });
  const { data: reply } = await pulls.createReplyForReviewComment({ ...pull, comment_id: comment.id, body: "Indeed" });
  assert.equal(reply.in_reply_to_id, comment.id);
  const { data: changed } = await pulls.updateReviewComment({ ...gadgets, comment_id: comment.id, body: "Slower" });
  assert.equal((await pulls.getReviewComment({ ...gadgets, comment_id: comment.id })).data.body, changed.body);
  const bodies = async (method, parameters) => (await every(alice, method, parameters)).map(({ body }) => body);
  assert.deepEqual(await bodies(pulls.listReviewComments, pull), ["Slower", "Indeed"]);
  assert.deepEqual(await bodies(pulls.listReviewCommentsForRepo, gadgets), ["Slower", "Indeed"]);
  assert.equal((await pulls.deleteReviewComment({ ...gadgets, comment_id: reply.id })).status, 204);
});

test("installations", async () => {
  const parts = { installation_id: 7001, repository_id: 2004 };
  assert.equal((await alice.rest.apps.addRepoToInstallationForAuthenticatedUser(parts)).status, 204);
  assert.deepEqual((await every(through, through.rest.apps.listInstallationsForAuthenticatedUser)).map(({ id }) => id), [7001]);
  const repositories = through.rest.apps.listInstallationReposForAuthenticatedUser;
  assert.deepEqual(names(await every(through, repositories, parts)), ["widgets", "gadgets", "parts"]);
  assert.equal((await alice.rest.apps.removeRepoFromInstallationForAuthenticatedUser(parts)).status, 204);

  const installation = await app.getInstallationOctokit(7001);
  const reachable = await every(installation, installation.rest.apps.listReposAccessibleToInstallation);
  assert.deepEqual(names(reachable), ["widgets", "gadgets"]);
  const { token } = await installation.auth({ type: "installation", refresh: true });
  const own = as(token);
  assert.equal((await own.rest.apps.revokeInstallationAccessToken()).status, 204);
  await refused(() => own.rest.apps.listReposAccessibleToInstallation(), 401, "Bad credentials");
});
