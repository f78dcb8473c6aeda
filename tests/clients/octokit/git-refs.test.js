// Git references. Octokit escapes the slashes of a reference as %2F in every path.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, anonymous, gadgets, refused, tip } from "./clients.js";

const { git } = alice.rest;
const names = (refs) => refs.map((ref) => ref.ref);

test("a reference is read by a name with slashes", async () => {
  const { data } = await anonymous.rest.git.getRef({ ...gadgets, ref: "heads/feature/a" });
  assert.equal(data.ref, "refs/heads/feature/a");
  assert.equal(data.object.type, "commit");
  assert.match(data.object.sha, /^[0-9a-f]{40}$/);
});

test("matching references start with the prefix; an empty prefix matches all", async () => {
  const { data } = await git.listMatchingRefs({ ...gadgets, ref: "heads/feature" });
  assert.deepEqual(names(data).slice(0, 2), ["refs/heads/feature/a", "refs/heads/feature/b"]);
  const all = await git.listMatchingRefs({ ...gadgets, ref: "" });
  assert.ok(names(all.data).includes("refs/tags/v1.0"));
  assert.ok(names(all.data).includes("refs/heads/main"));
  const none = await git.listMatchingRefs({ ...gadgets, ref: "heads/zzz" });
  assert.deepEqual(none.data, []);
});

test("an annotated tag resolves to its object", async () => {
  const { data: ref } = await git.getRef({ ...gadgets, ref: "tags/v1.0" });
  assert.equal(ref.object.type, "tag");
  const { data: tag } = await git.getTag({ ...gadgets, tag_sha: ref.object.sha });
  assert.equal(tag.tag, "v1.0");
  assert.equal(tag.object.sha, await tip("main"));
  const { data: commit } = await git.getCommit({ ...gadgets, commit_sha: tag.object.sha });
  assert.equal(commit.message, "Begin");
});

test("a branch is created, moved, forced and deleted", async () => {
  const [main, digit, aside] = [await tip("main"), await tip("feature/a"), await tip("feature/b")];
  const created = await git.createRef({ ...gadgets, ref: "refs/heads/topic/x y#z", sha: main }).catch((error) => error);
  assert.equal(created.status, 422, "a name that Git does not allow");

  const { status, data, headers } = await git.createRef({ ...gadgets, ref: "refs/heads/topic/x#z", sha: main });
  assert.equal(status, 201);
  assert.equal(data.ref, "refs/heads/topic/x#z");
  assert.equal(headers.location, data.url);

  const ref = "heads/topic/x#z";
  const moved = await git.updateRef({ ...gadgets, ref, sha: digit });
  assert.equal(moved.data.object.sha, digit);
  await refused(() => git.updateRef({ ...gadgets, ref, sha: aside }), 422, "Update is not a fast forward");
  const forced = await git.updateRef({ ...gadgets, ref, sha: aside, force: true });
  assert.equal(forced.data.object.sha, aside);

  assert.equal((await git.deleteRef({ ...gadgets, ref })).status, 204);
  await refused(() => git.getRef({ ...gadgets, ref }), 404, "Not Found");
  await refused(() => git.deleteRef({ ...gadgets, ref }), 422, "Reference does not exist");
});

test("invalid requests get GitHub's error messages", async () => {
  const sha = await tip("main");
  await refused(() => git.createRef({ ...gadgets, ref: "refs/heads/main", sha }), 422, "Reference already exists");
  await refused(() => git.createRef({ ...gadgets, ref: "heads/new", sha }), 422, "Reference name must start with 'refs/'.");
  await refused(() => git.createRef({ ...gadgets, ref: "refs/heads/new", sha: "0".repeat(40) }), 422, "Object does not exist");
  await refused(() => git.deleteRef({ ...gadgets, ref: "heads/main" }), 422, "Cannot delete the default branch");
  await refused(() => git.getRef({ owner: "acme", repo: "empty", ref: "heads/main" }), 409, "Git Repository is empty.");
  await refused(() => anonymous.rest.git.getRef({ owner: "acme", repo: "widgets", ref: "heads/main" }), 404, "Not Found");
});

test("a conditional request for an unchanged reference throws 304", async () => {
  const first = await git.getRef({ ...gadgets, ref: "heads/main" });
  await refused(
    () => git.getRef({ ...gadgets, ref: "heads/main", headers: { "if-none-match": first.headers.etag } }),
    304,
    "Not modified",
  );
});
