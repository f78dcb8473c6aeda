// App installations: the app signs a JSON web token, creates an installation token, uses it
// and revokes it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, as, asApp, gadgets, refused, tip } from "./clients.js";

const app = asApp();
const installation = asApp({ installationId: 7001 });
const through = as("alice-through-ci-bot");
const names = (repositories) => repositories.map((repository) => repository.name);

test("the app finds itself and its installations with its key", async () => {
  const { data } = await app.rest.apps.getAuthenticated();
  assert.equal(data.slug, "ci-bot");
  assert.equal(data.installations_count, 1);
  const installations = await app.paginate(app.rest.apps.listInstallations, { per_page: 1 });
  assert.deepEqual(installations.map(({ id, account }) => [id, account.login]), [[7001, "acme"]]);
  assert.equal((await app.rest.apps.getInstallation({ installation_id: 7001 })).data.app_slug, "ci-bot");
  assert.equal((await app.rest.apps.getOrgInstallation({ org: "acme" })).data.id, 7001);
  assert.equal((await app.rest.apps.getRepoInstallation(gadgets)).data.id, 7001);
  await refused(() => app.rest.apps.getUserInstallation({ username: "bob" }), 404, "Not Found");
  await refused(() => app.rest.apps.getInstallation({ installation_id: 1 }), 404, "Not Found");
});

test("an installation lists its repositories page by page and works with them", async () => {
  const repositories = await installation.paginate(installation.rest.apps.listReposAccessibleToInstallation, { per_page: 1 });
  assert.deepEqual(names(repositories), ["widgets", "gadgets"]);
  assert.equal(repositories[1].license.spdx_id, "MIT");
  assert.equal(repositories[1].owner.login, "acme");

  const sha = await tip("main");
  const { data } = await installation.rest.git.createRef({ ...gadgets, ref: "refs/heads/from-the-app", sha });
  assert.equal(data.ref, "refs/heads/from-the-app");
  const { data: comment } = await installation.rest.pulls.createReviewComment({
    ...gadgets,
    pull_number: 1,
    commit_id: await tip("feature/a"),
    path: "README.md",
    line: 2,
    body: "From the app",
  });
  assert.equal(comment.user.login, "ci-bot[bot]");
  assert.equal(comment.user.type, "Bot");
});

test("a restricted token can access less", async () => {
  const { token, permissions, repositorySelection } = await installation.auth({
    type: "installation",
    repositoryNames: ["gadgets"],
    permissions: { contents: "read" },
  });
  assert.deepEqual(permissions, { contents: "read", metadata: "read" });
  assert.equal(repositorySelection, "selected");
  const narrow = as(token);
  const { data } = await narrow.rest.apps.listReposAccessibleToInstallation();
  assert.equal(data.total_count, 1);
  assert.deepEqual(names(data.repositories), ["gadgets"]);
  await refused(
    async () => narrow.rest.git.createRef({ ...gadgets, ref: "refs/heads/no", sha: await tip("main") }),
    403,
    "Resource not accessible by integration",
  );
});

test("a revoked token is rejected", async () => {
  const { token } = await installation.auth({ type: "installation", refresh: true });
  const client = as(token);
  assert.equal((await client.rest.apps.revokeInstallationAccessToken()).status, 204);
  await refused(() => client.rest.apps.listReposAccessibleToInstallation(), 401, "Bad credentials");
  await refused(() => client.rest.git.getRef({ ...gadgets, ref: "heads/main" }), 401, "Bad credentials");
});

test("a user lists the installations of the app and their repositories", async () => {
  const installations = await through.paginate(through.rest.apps.listInstallationsForAuthenticatedUser, { per_page: 1 });
  assert.deepEqual(installations.map(({ id }) => id), [7001]);
  assert.equal(installations[0].repository_selection, "selected");
  assert.equal(installations[0].permissions.contents, "write");
  const repositories = await through.paginate(through.rest.apps.listInstallationReposForAuthenticatedUser, {
    installation_id: 7001,
    per_page: 1,
  });
  assert.deepEqual(names(repositories), ["widgets", "gadgets"]);
  assert.equal(repositories[0].permissions.admin, true);
});

test("an administrator adds a repository and removes it", async () => {
  const parts = { installation_id: 7001, repository_id: 2004 };
  const { apps } = alice.rest;
  const listed = async () => names((await through.rest.apps.listInstallationReposForAuthenticatedUser(parts)).data.repositories);
  assert.equal((await apps.addRepoToInstallationForAuthenticatedUser(parts)).status, 204);
  assert.ok((await listed()).includes("parts"));
  assert.equal((await apps.removeRepoFromInstallationForAuthenticatedUser(parts)).status, 204);
  assert.ok(!(await listed()).includes("parts"));
  await refused(() => apps.removeRepoFromInstallationForAuthenticatedUser(parts), 404, "Not Found");
});

test("the error for a wrong kind of token names the required kind", async () => {
  await refused(
    () => alice.rest.apps.listReposAccessibleToInstallation(),
    403,
    "You must authenticate with an installation access token in order to list repositories for an installation.",
  );
  await refused(
    () => alice.rest.apps.listInstallationsForAuthenticatedUser(),
    403,
    "You must authenticate with an access token authorized to a GitHub App in order to list installations",
  );
  await refused(() => as("alice-classic").rest.apps.getAuthenticated(), 401, "A JSON web token could not be decoded");
});
