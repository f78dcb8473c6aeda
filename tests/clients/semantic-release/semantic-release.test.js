// semantic-release in a clone, configured as documented for GitHub Enterprise Server. It reads
// tags and commits with Git, verifies its permissions with the API, pushes a tag with Git, and
// then tries to create a release, for which the server has no operation.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { alice, baseUrl, gadgets, missing, run } from "../programs.js";

const { host } = new URL(baseUrl);
const configuration = {
  branches: ["main"],
  repositoryUrl: `${baseUrl}/acme/gadgets.git`,
  plugins: [
    "@semantic-release/commit-analyzer",
    "@semantic-release/release-notes-generator",
    ["@semantic-release/github", { githubUrl: baseUrl, githubApiPathPrefix: "/api/v3" }],
  ],
};
let folder;

/** Runs Git as alice, in the clone. */
async function git(...parameters) {
  const identity = ["-c", "user.name=Alice", "-c", "user.email=alice@example.com"];
  const { code, output } = await run("git", [...identity, ...parameters], { cwd: folder, env: { HOME: folder } });
  assert.equal(code, 0, output);
}

const release = (token, ...parameters) =>
  run("semantic-release", ["--no-ci", ...parameters], {
    cwd: folder,
    env: { HOME: folder, NO_COLOR: "1", GITHUB_TOKEN: token, GIT_CREDENTIALS: `x-access-token:${token}` },
  });

const tags = async () => (await alice.rest.repos.listTags(gadgets)).data.map(({ name }) => name);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "forgewright-semantic-release."));
  await git("clone", "--quiet", `http://x-access-token:alice-classic@${host}/acme/gadgets.git`, ".");
  await git("commit", "--quiet", "--allow-empty", "--message", "feat: grow a third handle");
  await git("push", "--quiet", "origin", "main");
  await writeFile(join(folder, ".releaserc.json"), JSON.stringify(configuration));
});
after(() => rm(folder, { recursive: true }));

test("a dry run finds the next version and prints its notes", async () => {
  const { code, output } = await release("alice-classic", "--dry-run");
  assert.equal(code, 0, output);
  assert.match(output, /Allowed to push to the Git repository/);
  assert.match(output, /the next release version is 1\.0\.0/);
  assert.match(output, /grow a third handle/);
  assert.deepEqual([await tags(), await missing()], [["v1.0"], []]);
});

test("a token without push access fails before anything changes", async () => {
  const { code, output } = await release("alice-may-read-metadata");
  assert.equal(code, 1, output);
  assert.match(output, /EGITNOPERMISSION/);
  assert.deepEqual(await tags(), ["v1.0"]);
});

test("a release pushes its tag, then fails to create the release", async () => {
  const { code, output } = await release("alice-classic");
  assert.equal(code, 1, output);
  assert.match(output, /Created tag v1\.0\.0/);
  assert.match(output, /Failed step "publish" of plugin "@semantic-release\/github"/);
  assert.match(output, /Not Found - https:\/\/docs\.github\.com\/rest/);
  assert.deepEqual((await tags()).toSorted(), ["v1.0", "v1.0.0"]);
  assert.deepEqual(await missing(), [
    "POST /repos/acme/gadgets/releases: GitHub has this operation (repos/create-release), but this server does not",
  ]);
});
