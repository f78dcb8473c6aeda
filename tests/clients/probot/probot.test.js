// An app as in Probot's documentation: its server verifies the signature of a delivery and passes
// it to a handler, with an Octokit for the installation. The handler replies with it. Only the
// base URL of the API is changed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, gadgets, serve, until } from "./server.js";

const pull = { ...gadgets, pull_number: 1 };
const heard = [];

serve((probot) => {
  probot.on("pull_request_review_comment", async (context) => {
    const { action, comment, sender } = context.payload;
    heard.push(`${action} by ${sender.login}`);
    if (action === "created" && !context.isBot) {
      const { owner, repo, pull_number } = context.pullRequest();
      const body = `You said: ${comment.body}`;
      await context.octokit.rest.pulls.createReplyForReviewComment({ owner, repo, pull_number, comment_id: comment.id, body });
    }
  });
});

test("the app receives a comment and replies as its bot user", async () => {
  const { data: ref } = await alice.rest.git.getRef({ ...pull, ref: "heads/feature/a" });
  const { data: comment } = await alice.rest.pulls.createReviewComment({ ...pull, commit_id: ref.object.sha, path: "README.md", line: 2, body: "Why?" });
  const reply = await until("a reply", async () => {
    const { data } = await alice.rest.pulls.listReviewComments(pull);
    return data.find((one) => one.in_reply_to_id === comment.id);
  });
  assert.equal(reply.body, "You said: Why?");
  assert.deepEqual([reply.user.login, reply.user.type], ["ci-bot[bot]", "Bot"]);

  await alice.rest.pulls.updateReviewComment({ ...pull, comment_id: comment.id, body: "Why 2?" });
  await alice.rest.pulls.deleteReviewComment({ ...pull, comment_id: comment.id });
  await until("deliveries of four events", () => heard.length === 4);
  assert.deepEqual(heard.toSorted(), ["created by alice", "created by ci-bot[bot]", "deleted by alice", "edited by alice"]);
});

test("a delivery with a wrong signature is rejected", async () => {
  const forged = await fetch(`http://127.0.0.1:${process.env.HOOK_PORT}/api/github/webhooks`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-github-event": "pull_request_review_comment", "x-github-delivery": "1", "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
    body: "{}",
  });
  assert.equal(forged.status, 400);
  assert.equal(heard.length, 4);
});
