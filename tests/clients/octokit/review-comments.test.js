// Review comments on pull request 1 of acme/gadgets, which changes README.md:
//   @@ -1,4 +1,5 @@
//    # Gadgets
//   -Two handles on every gadget.
//   +2 handles on every gadget.
//   (an empty line)
//    Run the tests before you push.
//   +And after it.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { alice, anonymous, bob, gadgets, refused, tip } from "./clients.js";

const { pulls } = alice.rest;
const pull = { ...gadgets, pull_number: 1 };
let commit_id;
before(async () => {
  commit_id = await tip("feature/a");
});
const comment = (body, rest = { line: 2 }) =>
  pulls.createReviewComment({ ...pull, commit_id, path: "README.md", body, ...rest });

test("a comment on a line has its position and hunk in the diff", async () => {
  const { status, data, headers } = await comment("Why **2**?", { line: 2, side: "RIGHT" });
  assert.equal(status, 201);
  assert.equal(headers.location, data.url);
  assert.equal(data.user.login, "alice");
  assert.equal(data.author_association, "MEMBER");
  assert.equal(data.position, 3);
  assert.equal(data.diff_hunk, "@@ -1,4 +1,5 @@\n # Gadgets\n-Two handles on every gadget.\n+2 handles on every gadget.");
  assert.equal(data.in_reply_to_id, undefined);

  const read = await anonymous.rest.pulls.getReviewComment({ ...gadgets, comment_id: data.id });
  assert.deepEqual(read.data, data);
});

test("a comment can be on several lines, the left side, a position or the file", async () => {
  const several = await comment("All of it", { start_line: 2, start_side: "RIGHT", line: 5, side: "RIGHT" });
  assert.equal(several.data.start_line, 2);
  assert.equal(several.data.line, 5);
  assert.equal(several.data.position, 6);
  const left = await comment("The old one", { line: 2, side: "LEFT" });
  assert.equal(left.data.side, "LEFT");
  assert.equal(left.data.position, 2);
  const position = await comment("By position", { position: 6 });
  assert.equal(position.data.line, 5);
  const file = await comment("The file", { subject_type: "file" });
  assert.equal(file.data.subject_type, "file");
});

test("a comment is replied to, changed and deleted", async () => {
  const { data: root } = await comment("A question");
  const { status, data: reply } = await bob.rest.pulls.createReplyForReviewComment({
    ...pull,
    comment_id: root.id,
    body: "An answer",
  });
  assert.equal(status, 201);
  assert.equal(reply.in_reply_to_id, root.id);
  assert.equal(reply.user.login, "bob");
  assert.equal(reply.diff_hunk, root.diff_hunk);

  const edited = await bob.rest.pulls.updateReviewComment({ ...gadgets, comment_id: reply.id, body: "A better answer" });
  assert.equal(edited.data.body, "A better answer");

  assert.equal((await pulls.deleteReviewComment({ ...gadgets, comment_id: reply.id })).status, 204);
  await refused(() => pulls.getReviewComment({ ...gadgets, comment_id: reply.id }), 404, "Not Found");
});

test("each media type format has its own fields", async () => {
  const { data } = await comment("Why **2**?");
  const as = (format) => pulls.getReviewComment({ ...gadgets, comment_id: data.id, mediaType: { format } });
  const full = (await as("full")).data;
  assert.equal(full.body, "Why **2**?");
  assert.match(full.body_html, /<strong>2<\/strong>/);
  assert.equal(full.body_text, "Why 2?");
  assert.equal((await as("html")).data.body, undefined);
  assert.equal((await as("text")).data.body_text, "Why 2?");
});

test("paginate reads all pages of both lists", async () => {
  for (const body of ["one", "two", "three", "four", "five"]) {
    await comment(body);
  }
  const lengths = [];
  const all = await alice.paginate(pulls.listReviewComments, { ...pull, per_page: 2 }, (response) => {
    lengths.push(response.data.length);
    return response.data;
  });
  assert.ok(lengths.length >= 3);
  assert.ok(lengths.slice(0, -1).every((length) => length === 2));
  const ids = all.map((one) => one.id);
  assert.deepEqual(ids, [...ids].sort((a, b) => a - b));
  assert.deepEqual(all.slice(-5).map((one) => one.body), ["one", "two", "three", "four", "five"]);

  const latest = await pulls.listReviewCommentsForRepo({ ...gadgets, sort: "created", direction: "desc", per_page: 1 });
  assert.equal(latest.data[0].body, "five");
  assert.match(latest.headers.link, /page=2>; rel="next"/);
  const whole = await alice.paginate(pulls.listReviewCommentsForRepo, { ...gadgets, per_page: 3 });
  assert.deepEqual(whole.map((one) => one.id), ids);
});

test("invalid requests get GitHub's error messages", async () => {
  await refused(() => comment("Nowhere", { line: 99 }), 422, "Validation Failed");
  await refused(() => comment("Nowhere", {}), 422, 'Invalid request.\n\nNo subschema in "oneOf" matched.');
  await refused(() => anonymous.rest.pulls.createReviewComment({ ...pull, commit_id, path: "README.md", line: 2, body: "x" }), 401, "Requires authentication");
  await refused(() => pulls.updateReviewComment({ ...gadgets, comment_id: 99, body: "x" }), 404, "Not Found");
  await refused(() => pulls.listReviewComments({ ...gadgets, pull_number: 99 }), 404, "Not Found");
});
