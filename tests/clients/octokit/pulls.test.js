// Pull requests: create, list, change and merge.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, gadgets, refused, tip } from "./clients.js";

const { git, pulls } = alice.rest;

test("a pull request is created, read and merged with a rebase", async () => {
  await git.createRef({ ...gadgets, ref: "refs/heads/octokit-base", sha: await tip("main") });
  await git.createRef({ ...gadgets, ref: "refs/heads/octokit-topic", sha: await tip("feature/b") });
  const branches = { base: "octokit-base", head: "octokit-topic" };
  const { data: pull } = await pulls.create({ ...gadgets, ...branches, title: "Words" });
  const address = { ...gadgets, pull_number: pull.number };
  assert.equal(pull.mergeable, true);
  const listed = await alice.paginate(pulls.list, { ...gadgets, head: "acme:octokit-topic" });
  assert.deepEqual(listed.map((one) => one.number), [pull.number]);
  const { data: files } = await pulls.listFiles(address);
  const { data: diff } = await pulls.get({ ...address, mediaType: { format: "diff" } });
  assert.ok(files.every((file) => diff.includes(file.filename)));
  await refused(pulls.checkIfMerged(address), 404, "Not Found");
  const moved = "Head branch was modified. Review and try the merge again.";
  await refused(pulls.merge({ ...address, sha: await tip("main") }), 409, moved);
  const { data: merged } = await pulls.merge({ ...address, merge_method: "rebase" });
  assert.equal(merged.sha, await tip("octokit-base"));
  assert.equal((await pulls.checkIfMerged(address)).status, 204);
});
