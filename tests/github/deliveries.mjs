// Receives every event and action that the server sends. Validates the payloads against
// @octokit/webhooks-schemas, which allow no additional fields, and against GitHub's own
// description of its webhooks, and the headers against recorded deliveries of GitHub.
//
// Run inside tests/with-server with deliveries.yaml. Its webhook URL uses HOOK_PORT.

import { createHmac, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const require = createRequire(import.meta.url);
const schemas = require("@octokit/webhooks-schemas/schema.json");
const description = require("@octokit/openapi-webhooks/generated/api.github.com.json");
const server = process.env.FORGEWRIGHT_URL;
// The events that the server sends, with their actions.
const SENT = [
  "check_run.completed",
  "check_run.created",
  "check_suite.completed",
  "create",
  "delete",
  "installation_repositories.added",
  "installation_repositories.removed",
  "issue_comment.created",
  "issue_comment.deleted",
  "issue_comment.edited",
  "issues.assigned",
  "issues.closed",
  "issues.edited",
  "issues.labeled",
  "issues.locked",
  "issues.opened",
  "issues.reopened",
  "issues.unassigned",
  "issues.unlabeled",
  "issues.unlocked",
  "label.created",
  "label.deleted",
  "label.edited",
  "ping",
  "projects_v2_item.archived",
  "projects_v2_item.created",
  "projects_v2_item.deleted",
  "projects_v2_item.edited",
  "projects_v2_item.restored",
  "pull_request.assigned",
  "pull_request.closed",
  "pull_request.edited",
  "pull_request.labeled",
  "pull_request.locked",
  "pull_request.opened",
  "pull_request.reopened",
  "pull_request.synchronize",
  "pull_request.unassigned",
  "pull_request.unlabeled",
  "pull_request.unlocked",
  "pull_request_review.dismissed",
  "pull_request_review.edited",
  "pull_request_review.submitted",
  "pull_request_review_comment.created",
  "pull_request_review_comment.deleted",
  "pull_request_review_comment.edited",
  "push",
  "status",
];

// Allowed violations. GitHub's own payloads violate the schemas, too: these do not allow
// mannequins and email addresses of bots. The schemas of @octokit/webhooks-schemas have no
// `verified_at`, so the server does not send it, although GitHub describes it.
const EXCUSED = [
  [/\/commit\/commit\/verification must have required property 'verified_at'$/, /./],
  [/\/type must be equal to one of the allowed values$/, /^Mannequin$/],
  [/\/email must match format "email"$/, /^[0-9]+\+[\w-]+\[bot\]@users\.noreply\./],
];

function compiler(Kind, id, document) {
  const ajv = new Kind({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addSchema({ ...document, $id: id });
  return (pointer) => ajv.compile({ $ref: `${id}#${pointer}` });
}

const octokit = compiler(Ajv, "octokit", { definitions: schemas.definitions });
const github = compiler(Ajv2020, "github", { components: description.components });
const validators = new Map();
for (const name of SENT) {
  const [event, action] = name.split(".");
  const described = description.webhooks[name.replaceAll(/[_.]/g, "-")].post;
  const { $ref } = described.requestBody.content["application/json"].schema;
  validators.set(name, [octokit(`/definitions/${event}$${action ?? "event"}`), github($ref.slice(1))]);
}

let faultCount = 0;
function report(text) {
  faultCount += 1;
  console.error(text);
}

const deliveries = [];
const receiver = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    deliveries.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(204).end();
  });
});
await new Promise((resolve) => receiver.listen(process.env.HOOK_PORT, "127.0.0.1", resolve));

async function call(method, path, body, token = "alice") {
  const response = await fetch(server + path, { method, headers: { authorization: `Bearer ${token}` }, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Creates, edits and deletes a review comment or an issue comment: three deliveries. */
async function comment(repository, number, body, token, folder = "pulls") {
  const created = await call("POST", `/repos/${repository}/${folder}/${number}/comments`, body, token);
  const path = `/repos/${repository}/${folder}/comments/${created.id}`;
  await call("PATCH", path, { body: "Edited" }, token);
  await call("DELETE", path, undefined, token);
}

/** Triggers every event; returns the number of deliveries. */
async function triggerEvents() {
  const gadgets = "acme/gadgets";
  const { object } = await call("GET", `/repos/${gadgets}/git/ref/heads/topic`);
  const on = { commit_id: object.sha, path: "README.md" };
  const line = { ...on, body: "One line", line: 2, side: "RIGHT" };
  for (const body of [
    line,
    { ...on, body: "A deletion", line: 2, side: "LEFT" },
    { ...on, body: "By position", position: 1 },
    { ...on, body: "Two lines", start_line: 1, start_side: "RIGHT", line: 2, side: "RIGHT" },
    { ...on, body: "The file", subject_type: "file" },
  ]) {
    await comment(gadgets, 1, body);
  }
  await comment(gadgets, 1, line, "ci-bot");
  await comment(gadgets, 2, line);
  await comment(gadgets, 3, line);
  await comment("acme/within", 1, line);
  await comment("alice/notes", 1, line);
  // A reply, and a comment that is outdated when it is edited and deleted.
  const path = `/repos/${gadgets}/pulls`;
  const root = await call("POST", `${path}/1/comments`, line);
  const reply = await call("POST", `${path}/1/comments/${root.id}/replies`, { body: "Indeed" });
  const main = await call("GET", `/repos/${gadgets}/git/ref/heads/main`);
  await call("PATCH", `/repos/${gadgets}/git/refs/heads/topic`, { sha: main.object.sha, force: true });
  for (const { id } of [root, reply]) {
    await call("PATCH", `${path}/comments/${id}`, { body: "Outdated" });
    await call("DELETE", `${path}/comments/${id}`);
  }
  await references(object.sha, main.object.sha);
  await pullRequests(object.sha, main.object.sha);
  await reviews(object.sha);
  await issues();
  await conversations();
  await statuses(main.object.sha);
  await checks(main.object.sha);
  await items();
  for (const method of ["PUT", "DELETE"]) await call(method, "/user/installations/7003/repositories/2001");
  // Comments; a branch that moved; references; pull requests; reviews; issues; conversations;
  // statuses; checks; items of projects; repositories of an installation; a ping.
  return 10 * 3 + 2 * 3 + 2 + 12 + 21 + 13 + 20 + 16 + 3 + 5 + 7 + 2 + 1;
}

/** Opens, edits, closes, reopens and merges pull requests: 21 deliveries. */
async function pullRequests(newer, older) {
  const gadgets = "/repos/acme/gadgets";
  for (const [branch, sha] of [["idea", newer], ["release", older], ["stacked", newer]]) {
    await call("POST", `${gadgets}/git/refs`, { ref: `refs/heads/${branch}`, sha });
  }
  await call("POST", `${gadgets}/pulls`, { title: "An idea", head: "idea", base: "main" }, "ci-bot");
  const idea = `${gadgets}/pulls/4`;
  await call("PATCH", idea, { title: "A better idea", body: "With reasons." });
  await call("PATCH", idea, { body: null });
  await call("PATCH", idea, { base: "release" });
  await call("PATCH", idea, { state: "closed" });
  await call("PATCH", idea, { state: "open" });
  // When a base branch is merged and deleted, its pull requests get a new base.
  const message = "Stand on it";
  const content = Buffer.from("new\n").toString("base64");
  await call("PUT", `${gadgets}/contents/NEW.md`, { message, content, branch: "stacked" });
  await call("POST", `${gadgets}/pulls`, { title: "Stacked", body: "", head: "stacked", base: "idea" });
  await call("PUT", `${idea}/merge`, {}, "ci-bot");
  await call("DELETE", `${gadgets}/git/refs/heads/idea`);
  await call("PUT", `/repos/alice/notes/pulls/1/merge`, { merge_method: "squash" });
}

/** Submits, edits and dismisses reviews: 13 deliveries. */
async function reviews(commit) {
  const pull = "/repos/acme/gadgets/pulls/5/reviews";
  const comments = [{ path: "NEW.md", line: 1, body: "Why?" }, { path: "NEW.md", position: 1, body: "And how?" }];
  const refused = await call("POST", pull, { event: "REQUEST_CHANGES", body: "No.", comments }, "ci-bot");
  await call("PUT", `${pull}/${refused.id}`, { body: "Not yet." }, "ci-bot");
  await call("PUT", `${pull}/${refused.id}/dismissals`, { message: "It is explained.", event: "DISMISS" });
  const approved = await call("POST", pull, { event: "APPROVE" }, "ci-bot");
  await call("PUT", `${pull}/${approved.id}`, { body: "Good." }, "ci-bot");
  await call("PUT", `${pull}/${approved.id}/dismissals`, { message: "Too early." });
  const pending = await call("POST", pull, { body: "Remarks", comments: comments.slice(1) });
  await call("POST", `${pull}/${pending.id}/events`, { event: "COMMENT" });
  // On a closed pull request, on a commit that is not the head, and in another account.
  await call("POST", "/repos/acme/within/pulls/1/reviews", { event: "COMMENT", body: "Pity." });
  await call("POST", "/repos/acme/gadgets/pulls/2/reviews", { event: "APPROVE", commit_id: commit }, "ci-bot");
  await call("POST", "/repos/alice/notes/pulls/1/reviews", { event: "COMMENT", body: "Thanks." });
}

/** Labels, assigns, locks and closes issues and a pull request: 20 deliveries. */
async function issues() {
  const gadgets = "/repos/acme/gadgets";
  const body = { title: "Squeaks", body: "When cold.", labels: ["bug"], assignees: ["bob"] };
  const { number } = await call("POST", `${gadgets}/issues`, body);
  const at = `${gadgets}/issues/${number}`;
  const bare = { title: "Squeaks a lot", state: "closed", labels: [], assignees: [] };
  await call("PATCH", at, bare);
  await call("PATCH", at, { state: "open" });
  await call("PUT", `${at}/lock`, { lock_reason: "spam" });
  await call("DELETE", `${at}/lock`);
  await call("POST", `${gadgets}/issues`, { title: "By a bot" }, "ci-bot");
  // A pull request.
  const pull = `${gadgets}/issues/1`;
  await call("POST", `${pull}/labels`, { labels: ["bug"] });
  await call("POST", `${pull}/assignees`, { assignees: ["alice"] });
  await call("PUT", `${pull}/lock`);
  await call("DELETE", `${pull}/lock`);
  await call("DELETE", `${pull}/labels/bug`);
  await call("DELETE", `${pull}/assignees`, { assignees: ["alice"] });
  await call("PATCH", `${gadgets}/labels/bug`, { new_name: "fault", color: "ff0000", description: "Broken" });
  await call("DELETE", `${gadgets}/labels/fault`);
}

/** Sets commit statuses as a user, as a bot, and in another account: three deliveries. */
async function statuses(commit) {
  const report = { state: "success", context: "ci/build", description: "Fine", target_url: "https://ci.example/1" };
  await call("POST", `/repos/acme/gadgets/statuses/${commit}`, report);
  await call("POST", `/repos/acme/gadgets/statuses/${commit}`, { state: "pending" }, "ci-bot");
  await call("POST", `/repos/alice/notes/statuses/${commit}`, { state: "error" });
}

/** Creates and completes check runs and so their suite: five deliveries. */
async function checks(head_sha) {
  const path = "/repos/acme/gadgets/check-runs";
  const created = await call("POST", path, { name: "lint", head_sha, external_id: "42" }, "ci-bot");
  await call("POST", path, { name: "test", head_sha, conclusion: "skipped" }, "ci-bot");
  const annotations = [{ path: "README.md", start_line: 1, end_line: 1, annotation_level: "notice", message: "Hm" }];
  await call("PATCH", `${path}/${created.id}`, { conclusion: "failure", output: { title: "One", summary: "One", annotations } }, "ci-bot");
}

/** Adds, changes, archives and deletes items of a project: seven deliveries. */
async function items() {
  const project = "/orgs/acme/projectsV2/1";
  const draft = await call("POST", `${project}/drafts`, { title: "Measure" });
  await call("POST", `${project}/drafts`, { title: "By a bot" }, "ci-bot");
  await call("POST", `${project}/items`, { type: "PullRequest", id: 8001 });
  const at = `${project}/items/${draft.id}`;
  await call("PATCH", at, { fields: [{ id: 5001, value: "Soon" }] });
  for (const archived of [true, false]) await call("PATCH", at, { archived });
  await call("DELETE", at);
}

/** Comments on an issue, and on closed, merged and locked pull requests: 16 deliveries. */
async function conversations() {
  const gadgets = "acme/gadgets";
  const issue = await call("POST", `/repos/${gadgets}/issues`, { title: "It squeaks", body: "A lot.", labels: ["bug"], assignees: ["bob"] });
  for (const [number, token] of [[1, "ci-bot"], [2], [3], [issue.number]]) {
    await comment(gadgets, number, { body: "Indeed, @bob" }, token, "issues");
  }
}

/** Creates, moves and deletes branches and tags, including that of a pull request: 12 deliveries. */
async function references(newer, older) {
  const refs = "/repos/acme/gadgets/git/refs";
  await call("POST", refs, { ref: "refs/heads/fresh/one", sha: older });
  await call("PATCH", `${refs}/heads/fresh/one`, { sha: newer });
  await call("DELETE", `${refs}/heads/fresh/one`);
  await call("POST", refs, { ref: "refs/tags/v1", sha: newer });
  await call("DELETE", `${refs}/heads/topic`);
  await call("POST", "/repos/alice/notes/git/refs", { ref: "refs/tags/v1", sha: older }, "alice");
}

/** Sets the app's webhook URL, which triggers a ping. */
async function configure() {
  const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const claims = `${encoded({ alg: "RS256", typ: "JWT" })}.${encoded({ iat: now - 60, exp: now + 300, iss: "Iv23ciBot" })}`;
  const key = readFileSync(process.env.CLIENT_KEY);
  const token = `${claims}.${sign("sha256", Buffer.from(claims), key).toString("base64url")}`;
  const url = `http://127.0.0.1:${process.env.HOOK_PORT}/hook`;
  await call("PATCH", "/app/hook/config", { url, secret: "hush" }, token);
}

const digest = (algorithm, body) => `${algorithm}=${createHmac(algorithm, "hush").update(body).digest("hex")}`;

function validateHeaders({ headers, body }) {
  const expected = {
    accept: /^\*\/\*$/,
    "content-type": /^application\/json$/,
    "user-agent": /^GitHub-Hookshot\/[0-9a-f]{7}$/,
    "x-github-delivery": /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    "x-github-event": /^[a-z0-9_]+$/,
    "x-github-hook-id": /^[0-9]+$/,
    "x-github-hook-installation-target-id": /^600[12]$/,
    "x-github-hook-installation-target-type": /^integration$/,
    "x-hub-signature": new RegExp(`^${digest("sha1", body)}$`),
    "x-hub-signature-256": new RegExp(`^${digest("sha256", body)}$`),
  };
  for (const { name } of description.webhooks["pull-request-review-comment-created"].post.parameters) {
    if (!(name.toLowerCase() in expected)) report(`GitHub describes a header that is not checked: ${name}`);
  }
  for (const [name, form] of Object.entries(expected)) {
    if (!form.test(headers[name] ?? "")) report(`header ${name}: ${headers[name]} instead of ${form}`);
  }
}

function validateBody({ headers, body }) {
  const payload = JSON.parse(body);
  const event = headers["x-github-event"];
  const name = payload.action ? `${event}.${payload.action}` : event;
  const at = (pointer) => pointer.split("/").slice(1).reduce((found, key) => found?.[key], payload);
  if (!validators.has(name)) report(`unexpected event ${name}`);
  for (const validate of validators.get(name) ?? []) {
    if (validate(payload)) continue;
    for (const { instancePath, message, params } of validate.errors) {
      const fault = `${instancePath} ${message}`;
      if (EXCUSED.some(([pattern, value]) => pattern.test(fault) && value.test(at(instancePath)))) continue;
      report(`${name} in ${payload.repository?.full_name}#${payload.pull_request?.number}: ${fault} ${JSON.stringify(params)}`);
    }
  }
  return name;
}

await configure();
const expected = await triggerEvents();
for (let waited = 0; deliveries.length < expected && waited < 300; waited += 1) await new Promise((resolve) => setTimeout(resolve, 100));
receiver.close();
if (deliveries.length !== expected) report(`${deliveries.length} deliveries instead of ${expected}`);
const seen = new Set();
for (const delivery of deliveries) {
  validateHeaders(delivery);
  seen.add(validateBody(delivery));
}
for (const name of SENT) if (!seen.has(name)) report(`no delivery of ${name}`);
console.log(`${deliveries.length} deliveries validated, ${faultCount} faults`);
process.exit(faultCount === 0 ? 0 : 1);
