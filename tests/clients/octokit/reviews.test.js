// Reviews of pull request 1 of acme/gadgets, which bob opened.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, anonymous, bob, gadgets, refused, tip } from "./clients.js";

const { pulls } = alice.rest;
const pull = { ...gadgets, pull_number: 1 };
const comments = [{ path: "README.md", line: 2, body: "Why **2**?" }];

test("a review is pending and visible only to its author until it is submitted", async () => {
  const { data: review } = await pulls.createReview({ ...pull, comments });
  assert.equal(review.state, "PENDING");
  assert.equal(review.submitted_at, undefined);
  assert.equal(review.commit_id, await tip("feature/a"));
  const at = { ...pull, review_id: review.id };
  await refused(bob.rest.pulls.getReview(at), 404, "Not Found");
  await refused(pulls.createReview(pull), 422, "User can only have one pending review per pull request");

  const { data: submitted } = await pulls.submitReview({ ...at, event: "REQUEST_CHANGES" });
  assert.equal(submitted.state, "CHANGES_REQUESTED");
  const { data: shown } = await anonymous.rest.pulls.listCommentsForReview(at);
  assert.deepEqual(shown.map((comment) => comment.body), ["Why **2**?"]);

  const { data: updated } = await pulls.updateReview({ ...at, body: "Nearly there." });
  assert.equal(updated.body, "Nearly there.");
  const { data: dismissed } = await pulls.dismissReview({ ...at, message: "Settled in person." });
  assert.equal(dismissed.state, "DISMISSED");
  await refused(pulls.deletePendingReview(at), 422, "Can not delete a non-pending pull request review");
});

test("a pending review can be deleted", async () => {
  const { data: review } = await pulls.createReview({ ...pull, body: "Never mind." });
  const at = { ...pull, review_id: review.id };
  await pulls.deletePendingReview(at);
  await refused(pulls.getReview(at), 404, "Not Found");
});

test("reviews are listed in the order of their submission", async () => {
  await pulls.createReview({ ...pull, event: "APPROVE" });
  await refused(
    bob.rest.pulls.createReview({ ...pull, event: "APPROVE" }),
    422,
    "Can not approve your own pull request",
  );
  const reviews = await anonymous.paginate(anonymous.rest.pulls.listReviews, { ...pull, per_page: 1 });
  assert.equal(reviews.at(-1).state, "APPROVED");
  assert.equal(reviews.at(-1).user.login, "alice");
});
