// Files, commits and Git objects.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, anonymous, gadgets, refused, tip } from "./clients.js";

const { git, repos } = alice.rest;
const encoded = (text) => Buffer.from(text).toString("base64");

test("a file is created, changed and deleted", async () => {
  const [path, branch] = ["docs/octo/one.md", "octo-files"];
  await git.createRef({ ...gadgets, ref: `refs/heads/${branch}`, sha: await tip("main") });
  const file = { ...gadgets, path, branch };
  const read = { ...gadgets, path, ref: branch };
  const created = await repos.createOrUpdateFileContents({ ...file, message: "Make", content: encoded("one") });
  assert.equal(created.status, 201);
  const { data: found } = await repos.getContent(read);
  assert.equal(Buffer.from(found.content, "base64").toString(), "one");
  const raw = await repos.getContent({ ...read, mediaType: { format: "raw" } });
  assert.equal(raw.data, "one");
  const { sha } = found;
  const change = (content) => repos.createOrUpdateFileContents({ ...file, message: "Change", content, sha });
  const { status, data } = await change(encoded("two"));
  assert.equal(status, 200);
  await refused(() => change(encoded("three")), 409, `${path} does not match ${sha}`);
  await repos.deleteFile({ ...file, message: "Delete", sha: data.content.sha });
  await refused(() => repos.getContent(read), 404, "Not Found");
  await git.deleteRef({ ...gadgets, ref: `heads/${branch}` });
});

test("commits are listed, read, compared and shown as a diff", async () => {
  const { data: list } = await anonymous.rest.repos.listCommits({ ...gadgets, sha: "feature/a", per_page: 1 });
  assert.equal(list[0].sha, await tip("feature/a"));
  const { data: commit } = await repos.getCommit({ ...gadgets, ref: "feature/a" });
  assert.equal(commit.sha, list[0].sha);
  assert.ok(commit.files.length > 0);
  const { data: compared } = await repos.compareCommitsWithBasehead({ ...gadgets, basehead: "main...feature/a" });
  assert.equal(compared.ahead_by, compared.commits.length);
  const diff = await repos.getCommit({ ...gadgets, ref: "feature/a", mediaType: { format: "diff" } });
  assert.match(diff.data, /^diff --git /);
  const branches = await alice.paginate(repos.listBranches, { ...gadgets, per_page: 1 });
  assert.ok(branches.some((branch) => branch.name === "main"));
  const { data: tags } = await repos.listTags(gadgets);
  assert.equal(tags.at(-1).name, "v1.0");
});

test("a commit is built from objects", async () => {
  const main = await tip("main");
  const { data: blob } = await git.createBlob({ ...gadgets, content: "hi" });
  const entry = { path: "built/hi", mode: "100644", type: "blob", sha: blob.sha };
  const { data: tree } = await git.createTree({ ...gadgets, base_tree: main, tree: [entry] });
  const { data: commit } = await git.createCommit({ ...gadgets, message: "Build", tree: tree.sha, parents: [main] });
  await git.createRef({ ...gadgets, ref: "refs/heads/octo-built", sha: commit.sha });
  const { data } = await repos.getContent({ ...gadgets, path: "built/hi", ref: "octo-built" });
  assert.equal(data.sha, blob.sha);
  await git.deleteRef({ ...gadgets, ref: "heads/octo-built" });
});
