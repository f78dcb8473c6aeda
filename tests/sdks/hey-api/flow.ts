// Uses all five areas with a generated client that has a function for each operation and throws
// errors.

import assert from "node:assert/strict";
import * as companion from "./companion/index.js";
import { createClient as createCompanion } from "./companion/client/index.js";
import * as api from "./service/index.js";
import { createClient } from "./service/client/index.js";

const baseUrl = process.env["FORGEWRIGHT_URL"] ?? "";

function as(token: string) {
  return { client: createClient({ baseUrl, auth: token }), throwOnError: true } as const;
}

const alice = as("ghp_demo_alice_admin");
const lookups = { client: createCompanion({ baseUrl, auth: "ghp_demo_alice_admin" }), throwOnError: true } as const;
const repository = { owner: "acme", repo: "gadgets" };

async function projectFields() {
  const path = { org: "acme", project_number: 1 };
  const body: api.AddSingleSelectField = { name: "Mood", data_type: "single_select", single_select_options: [{ name: "Good", color: "GREEN" }] };
  const { data: field } = await api.addOrgProjectField({ ...alice, path, body });
  const { data: again } = await api.getOrgProjectField({ ...alice, path: { ...path, field_id: field.id } });
  assert.deepEqual(again, field);
  const { data: list } = await api.listOrgProjectFields({ ...alice, path, query: { per_page: 100 } });
  assert.equal(list.at(-1)?.options?.at(0)?.name.raw, "Good");
}

async function issueFields() {
  const path = { org: "acme" };
  const body: api.CreateIssueField = { name: "Risk", data_type: "single_select", options: [{ name: "Low", color: "green", priority: 1 }] };
  const { data: field } = await api.createIssueField({ ...alice, path, body });
  const at = { ...path, issue_field_id: field.id };
  const { data: changed } = await api.updateIssueField({ ...alice, path: at, body: { description: "How bad it can get" } });
  assert.equal(changed.description, "How bad it can get");
  await api.deleteIssueField({ ...alice, path: at });
  const { data: left } = await api.listIssueFields({ ...alice, path });
  assert.ok(left.length > 0 && left.every(({ id }) => id !== field.id));
}

async function reviewComments() {
  const { data: pull } = await companion.getPull({ ...lookups, path: { ...repository, pull_number: 1 } });
  const path = { ...repository, pull_number: pull.number };
  const body: api.CreateReviewComment = { body: "Well **done**", commit_id: pull.head.sha, path: "README.md", line: 2, side: "RIGHT" };
  const { data: comment } = await api.createReviewComment({ ...alice, path, body });
  const shown: api.ReviewComment = comment;
  assert.equal(shown.original_line, 2);
  const { data: reply } = await api.replyToReviewComment({ ...alice, path: { ...path, comment_id: comment.id }, body: { body: "Thanks" } });
  assert.equal(reply.in_reply_to_id, comment.id);
  const at = { ...repository, comment_id: comment.id };
  const { data: changed } = await api.updateReviewComment({ ...alice, path: at, body: { body: "Well *done*" } });
  assert.equal(changed.body, "Well *done*");
  const { data: list } = await api.listPullReviewComments({ ...alice, path, query: { sort: "created", direction: "desc", per_page: 1 } });
  assert.deepEqual(list.map(({ id }) => id), [reply.id]);
  await api.deleteReviewComment({ ...alice, path: at });
  await assert.rejects(api.getReviewComment({ ...alice, path: at }), { message: "Not Found", status: "404" });
}

async function gitRefs() {
  const { data: main } = await api.getRef({ ...alice, path: { ...repository, ref: "heads/main" } });
  const { data: topic } = await api.getRef({ ...alice, path: { ...repository, ref: "heads/feature/a" } });
  await api.createRef({ ...alice, path: repository, body: { ref: "refs/heads/sdk/try", sha: main.object.sha } });
  const path = { ...repository, ref: "heads/sdk/try" };
  await assert.rejects(api.updateRef({ ...alice, path, body: { sha: "0".repeat(40) } }), { message: "Object does not exist" });
  const { data: moved } = await api.updateRef({ ...alice, path, body: { sha: topic.object.sha, force: true } });
  assert.deepEqual(moved.object, topic.object);
  const { data: matching } = await api.listMatchingRefs({ ...alice, path: { ...repository, ref: "heads/sdk" } });
  assert.deepEqual(matching.map(({ ref }) => ref), ["refs/heads/sdk/try"]);
  await api.deleteRef({ ...alice, path });
}

async function installations() {
  const user = as("ghu_demo_alice_ci_bot");
  const { data: seen } = await api.listUserInstallations(user);
  const installation = seen.installations.at(0);
  assert.equal(installation?.app_slug, "ci-bot");
  const path = { installation_id: installation.id };
  const { data: mine } = await api.listUserInstallationRepositories({ ...user, path });
  const { data: empty } = await companion.getRepository({ ...lookups, path: { owner: "acme", repo: "empty" } });
  const at = { ...path, repository_id: empty.id };
  await api.addInstallationRepository({ ...alice, path: at });
  const app = as("ghs_demo_ci_bot_acme");
  const { data: reached } = await api.listInstallationRepositories(app);
  assert.equal(reached.total_count, mine.total_count + 1);
  await api.removeInstallationRepository({ ...alice, path: at });
  await api.revokeInstallationToken(app);
  await assert.rejects(api.listInstallationRepositories(app), { message: "Bad credentials" });
}

for (const area of [projectFields, issueFields, reviewComments, gitRefs, installations]) {
  await area();
  console.log(`ok: ${area.name}`);
}
