// Validates responses of this server against GitHub's published response schemas.
//
// Calls every operation successfully at least once, and each variant with different fields
// (data types, media types, outdated comments, tags).

import { execFileSync } from "node:child_process";
import { companion, operations } from "./description.mjs";
import { faults } from "./validation.mjs";

const server = process.env.FORGEWRIGHT_URL;
const known = new Map([...operations(), ...operations(companion)].map((operation) => [operation.name, operation]));
const key = new URL("../../crates/world/src/demo.pem", import.meta.url).pathname;
const signature = execFileSync(process.env.FORGEWRIGHT_BINARY, ["token", "sign", "--app", "6001", "--key", key], { encoding: "utf8" }).trim();
const alice = "ghp_demo_alice_admin";

// Allowed violations: the same differences that differences.yaml allows for the document.
const EXCUSED = [
  [/^(create|update|delete)_issue_field$/, 422, /^\/errors\/\d+ must be string$/],
  [/^(delete_ref|remove_installation_repository)$/, 422, /^a body, where GitHub describes none/],
  [/_review_comments?$/, 200, /must have required property 'body'$/, /\.(text|html)\+json$/],
  [/^get_review$/, 200, /must have required property 'body'$/, /\.(text|html)\+json$/],
  // In the companion document: GitHub sends null for unset fields of an organization, and its
  // description requires an account to be a user and an enterprise at the same time.
  [/^get_organization$/, 200, /^\/(company|blog|location|email) must /],
  [/^list_app_installations$/, 200, /^\/\d+\/account must /],
];
const reached = new Set();
let faultCount = 0;
let validated = 0;

function report(text) {
  faultCount += 1;
  console.error(text);
}

/** Calls an operation, expects a status, and validates the response. */
async function call(name, status, path, { token = alice, body, headers = {} } = {}) {
  const operation = known.get(name);
  const response = await fetch(server + path, {
    method: operation.method.toUpperCase(),
    headers: { ...(token && { authorization: `Bearer ${token}` }), "x-github-api-version": "2022-11-28", ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const parsed = text === "" ? "" : JSON.parse(text);
  if (response.status !== status) {
    report(`${name}: ${path} returns ${response.status} instead of ${status}: ${text.slice(0, 300)}`);
    return parsed;
  }
  if (status < 300) reached.add(name);
  const found = faults(operation, status, parsed);
  if (found === null) return parsed;
  validated += 1;
  for (const fault of new Set(found)) {
    const excused = EXCUSED.some(
      ([names, code, pattern, media = /^/]) => names.test(name) && code === status && pattern.test(fault) && media.test(headers.accept ?? ""),
    );
    if (excused) continue;
    report(`${name}: ${path} (${status}): ${fault}`);
  }
  return parsed;
}

async function projectFields(kind, owner, own) {
  const base = `/${kind}s/${owner}/projectsV2/1/fields`;
  const area = kind === "org" ? "org" : "user";
  const [list, add, get] = [`list_${area}_project_fields`, `add_${area}_project_field`, `get_${area}_project_field`];
  const bodies = [
    { name: "A text", data_type: "text" },
    { name: "A number", data_type: "number" },
    { name: "A date", data_type: "date" },
    { name: "A choice", data_type: "single_select", single_select_options: [{ name: "One" }, { name: "`Two`", color: "PINK", description: "<b>" }] },
    { name: "A cycle", data_type: "iteration", iteration_configuration: { start_date: "2026-03-02", duration: 7 } },
    { name: "No cycle", data_type: "iteration", iteration_configuration: { start_date: "2026-03-02", duration: 7, iterations: [] } },
    ...own,
  ];
  for (const body of bodies) {
    const created = await call(add, 201, base, { body });
    await call(get, 200, `${base}/${created.id}`);
  }
  await call(list, 200, base);
  await call(list, 200, `${base}?per_page=2`);
  await call(add, 422, base, { body: bodies[0] });
  await call(add, 422, base, { body: { name: "Nothing" } });
  await call(add, 401, base, { body: bodies[0], token: "ghp_unknown" });
  if (kind === "org") await call(add, 401, base, { body: bodies[0], token: null });
  else await call(add, 403, base, { body: bodies[0], token: "github_pat_demo_alice" });
}

async function issueFields() {
  const base = "/orgs/acme/issue-fields";
  const options = [{ name: "Low", color: "green", priority: 2 }, { name: "High", color: "red", priority: 1, description: "Now" }];
  const created = [];
  for (const data_type of ["text", "date", "number", "single_select", "multi_select"]) {
    const body = { name: `Of ${data_type}`, data_type, ...(data_type.endsWith("select") && { options }) };
    created.push(await call("create_issue_field", 200, base, { body }));
  }
  await call("list_issue_fields", 200, base);
  const last = created.at(-1);
  await call("update_issue_field", 200, `${base}/${last.id}`, { body: { description: null, options: [{ ...options[0], id: last.options?.[0]?.id }, { name: "Mid", color: "gray", priority: 3, description: null }] } });
  await call("create_issue_field", 422, base, { body: { name: "Of text", data_type: "text" } });
  await call("create_issue_field", 422, base, { body: { name: "Of nothing" } });
  await call("update_issue_field", 404, `${base}/999999`, { body: { name: "x" } });
  await call("delete_issue_field", 204, `${base}/${last.id}`);
  await call("delete_issue_field", 404, `${base}/${last.id}`);
  await call("list_issue_fields", 404, base, { token: "ghp_demo_dave_globex" });
  return created[3].id;
}

async function references() {
  const base = "/repos/acme/gadgets/git";
  await call("list_matching_refs", 200, `${base}/matching-refs/`);
  await call("list_matching_refs", 200, `${base}/matching-refs/tags`);
  await call("list_matching_refs", 200, `${base}/matching-refs/nothing`);
  const main = await call("get_ref", 200, `${base}/ref/heads/main`);
  await call("get_ref", 200, `${base}/ref/tags/v1.0`);
  await call("get_ref", 404, `${base}/ref/heads/nothing`);
  const { sha } = main.object;
  await call("create_ref", 201, `${base}/refs`, { body: { ref: "refs/heads/judged/by/github", sha } });
  await call("create_ref", 422, `${base}/refs`, { body: { ref: "refs/heads/judged/by/github", sha } });
  await call("create_ref", 422, `${base}/refs`, { body: { ref: "judged", sha } });
  await call("create_ref", 409, "/repos/acme/empty/git/refs", { body: { ref: "refs/heads/x", sha } });
  await call("get_ref", 409, "/repos/acme/empty/git/ref/heads/main");
  await call("list_matching_refs", 409, "/repos/acme/empty/git/matching-refs/heads");
  await call("update_ref", 200, `${base}/refs/heads/judged/by/github`, { body: { sha, force: true } });
  await call("update_ref", 422, `${base}/refs/heads/nothing`, { body: { sha } });
  await call("delete_ref", 204, `${base}/refs/heads/judged/by/github`);
}

async function reviewComments() {
  const base = "/repos/acme/gadgets/pulls";
  const head = (await call("get_ref", 200, "/repos/acme/gadgets/git/ref/heads/feature/a")).object.sha;
  const on = { commit_id: head, path: "README.md" };
  const bodies = [
    { ...on, body: "One line", line: 2, side: "RIGHT" },
    { ...on, body: "A deletion", line: 2, side: "LEFT" },
    { ...on, body: "By position", position: 1 },
    { ...on, body: "Two lines", start_line: 1, start_side: "RIGHT", line: 2, side: "RIGHT" },
    { ...on, body: "The file", subject_type: "file" },
  ];
  const created = [];
  for (const body of bodies) created.push(await call("create_review_comment", 201, `${base}/1/comments`, { body }));
  const { id } = created[0];
  await call("create_review_comment", 201, `${base}/1/comments`, { body: { body: "Inside", in_reply_to: id } });
  const reply = await call("reply_to_review_comment", 201, `${base}/1/comments/${id}/replies`, { body: { body: "Indeed" } });
  await call("reply_to_review_comment", 404, `${base}/1/comments/999999/replies`, { body: { body: "Indeed" } });
  await call("create_review_comment", 422, `${base}/1/comments`, { body: { ...on, body: "Nowhere", line: 9999 } });
  await call("create_review_comment", 422, `${base}/1/comments`, { body: {} });
  await call("update_review_comment", 200, `${base}/comments/${id}`, { body: { body: "**Changed**" } });
  await call("get_review_comment", 404, `${base}/comments/999999`);
  for (const comment of [...created, reply]) {
    await call("get_review_comment", 200, `${base}/comments/${comment.id}`);
    for (const form of ["raw", "text", "html", "full"]) {
      await call("get_review_comment", 200, `${base}/comments/${comment.id}`, { headers: { accept: `application/vnd.github-commitcomment.${form}+json` } });
    }
  }
  // Moving the branch away makes the comments outdated.
  const main = (await call("get_ref", 200, "/repos/acme/gadgets/git/ref/heads/main")).object.sha;
  await call("list_repo_review_comments", 200, `${base}/comments?sort=updated&direction=desc&since=2020-01-01T00:00:00Z`);
  await call("list_pull_review_comments", 200, `${base}/1/comments?per_page=2`);
  await call("update_ref", 200, "/repos/acme/gadgets/git/refs/heads/feature/a", { body: { sha: main, force: true } });
  await call("list_pull_review_comments", 200, `${base}/1/comments`);
  await call("list_repo_review_comments", 200, `${base}/comments`, { token: null });
  await call("delete_review_comment", 204, `${base}/comments/${id}`);
  await call("delete_review_comment", 404, `${base}/comments/${id}`);
  await call("get_review_comment", 200, `${base}/comments/${reply.id}`);
}

async function reviews() {
  const base = "/repos/acme/gadgets/pulls/1/reviews";
  const comments = [{ path: "README.md", line: 2, body: "Why?" }];
  const pending = await call("create_review", 200, base, { body: { comments } });
  const at = `${base}/${pending.id}`;
  await call("create_review", 422, base, { body: {} });
  await call("list_comments_for_review", 200, `${at}/comments`);
  await call("submit_review", 200, `${at}/events`, { body: { event: "REQUEST_CHANGES" } });
  await call("submit_review", 422, `${at}/events`, { body: { event: "COMMENT" } });
  await call("update_review", 200, at, { body: { body: "**Nearly**" } });
  for (const form of ["raw", "text", "html", "full"]) {
    await call("get_review", 200, at, { headers: { accept: `application/vnd.github-commitcomment.${form}+json` } });
  }
  await call("get_review", 404, `${base}/999999`);
  await call("list_comments_for_review", 200, `${at}/comments`);
  await call("dismiss_review", 200, `${at}/dismissals`, { body: { message: "Settled" } });
  await call("dismiss_review", 422, `${at}/dismissals`, { body: { message: "Settled" } });
  await call("delete_pending_review", 422, at);
  const other = await call("create_review", 200, base, { body: { body: "Later" } });
  await call("delete_pending_review", 200, `${base}/${other.id}`);
  await call("list_reviews", 200, base);
}

async function issues() {
  const base = "/repos/acme/gadgets";
  const labels = `${base}/labels`;
  await call("create_label", 201, labels, { body: { name: "judged", color: "00ff00", description: "By GitHub" } });
  await call("create_label", 422, labels, { body: { name: "judged" } });
  await call("list_labels", 200, labels);
  await call("get_label", 200, `${labels}/judged`);
  await call("get_label", 404, `${labels}/nothing`);
  await call("update_label", 200, `${labels}/judged`, { body: { new_name: "seen" } });
  const body = { title: "Judged", body: "**So**", labels: ["seen", "new"], assignees: ["bob"] };
  const { number } = await call("create_issue", 201, `${base}/issues`, { body });
  await call("create_issue", 422, `${base}/issues`, { body: {} });
  await call("create_issue", 403, `${base}/issues`, { body, token: "github_pat_demo_alice" });
  const at = `${base}/issues/${number}`;
  for (const form of ["raw", "text", "html", "full"]) {
    await call("get_issue", 200, at, { headers: { accept: `application/vnd.github.${form}+json` } });
  }
  await call("get_issue", 200, `${base}/issues/1`);
  await call("get_issue", 404, `${base}/issues/999999`);
  await call("list_issue_labels", 200, `${at}/labels`);
  await call("add_issue_labels", 200, `${at}/labels`, { body: { labels: ["bug"] } });
  await call("set_issue_labels", 200, `${at}/labels`, { body: { labels: ["bug", "seen"] } });
  await call("remove_issue_label", 200, `${at}/labels/seen`);
  await call("remove_issue_label", 404, `${at}/labels/seen`);
  await call("clear_issue_labels", 204, `${at}/labels`);
  await call("list_assignees", 200, `${base}/assignees`);
  await call("check_assignee", 204, `${base}/assignees/bob`);
  await call("check_assignee", 404, `${base}/assignees/dave`);
  await call("check_issue_assignee", 204, `${at}/assignees/bob`);
  await call("add_assignees", 201, `${at}/assignees`, { body: { assignees: ["alice"] } });
  await call("remove_assignees", 200, `${at}/assignees`, { body: { assignees: ["bob"] } });
  await call("lock_issue", 204, `${at}/lock`, { body: { lock_reason: "resolved" } });
  await call("update_issue", 200, at, { body: { state: "closed", state_reason: "not_planned" } });
  await call("update_issue", 422, at, { body: { state: "shut" } });
  await call("unlock_issue", 204, `${at}/lock`);
  await call("list_issues", 200, `${base}/issues?state=all`);
  await call("list_issues", 200, `${base}/issues?labels=bug`, { token: null });
  await call("delete_label", 204, `${labels}/seen`);
}

async function statuses() {
  const base = "/repos/acme/gadgets";
  const { sha } = (await call("get_ref", 200, `${base}/git/ref/heads/main`)).object;
  const body = { state: "success", context: "ci/build", description: "Fine", target_url: "https://ci.example/1" };
  await call("create_commit_status", 201, `${base}/statuses/${sha}`, { body });
  await call("create_commit_status", 201, `${base}/statuses/${sha}`, { body: { state: "pending" } });
  await call("create_commit_status", 422, `${base}/statuses/${sha}`, { body: { state: "passed" } });
  await call("list_commit_statuses_for_ref", 200, `${base}/commits/heads/main/statuses`);
  await call("get_combined_status_for_ref", 200, `${base}/commits/main/status`);
}

async function installations() {
  const [app, user] = ["ghs_demo_ci_bot_acme", "ghu_demo_alice_ci_bot"];
  await call("list_installation_repositories", 200, "/installation/repositories", { token: app });
  await call("list_installation_repositories", 403, "/installation/repositories");
  await call("list_installation_repositories", 401, "/installation/repositories", { token: null });
  await call("list_user_installations", 200, "/user/installations", { token: user });
  await call("list_user_installations", 403, "/user/installations");
  const base = "/user/installations/7001/repositories";
  await call("list_user_installation_repositories", 200, base, { token: user });
  await call("list_user_installation_repositories", 404, "/user/installations/9/repositories", { token: user });
  await call("add_installation_repository", 204, `${base}/2002`);
  await call("add_installation_repository", 404, `${base}/9`);
  await call("add_installation_repository", 403, `${base}/2002`, { token: "github_pat_demo_alice" });
  await call("remove_installation_repository", 204, `${base}/2002`);
  await call("remove_installation_repository", 422, `${base}/2001`);
  await call("revoke_installation_token", 204, "/installation/token", { token: app });
}

async function companionOperations() {
  const gadgets = "/repos/acme/gadgets";
  await call("get_root", 200, "/");
  await call("list_versions", 200, "/versions");
  await call("get_repository", 200, gadgets);
  await call("get_repository", 200, "/repos/acme/widgets");
  await call("get_repository", 404, "/repos/acme/nothing");
  await call("get_pull", 200, `${gadgets}/pulls/1`);
  await call("get_pull", 200, `${gadgets}/pulls/2`);
  await call("get_authenticated_user", 200, "/user");
  await call("get_user", 200, "/users/bob");
  await call("get_user", 200, "/users/acme");
  await call("get_organization", 200, "/orgs/acme");
  await call("get_org_project", 200, "/orgs/acme/projectsV2/1");
  await call("get_user_project", 200, "/users/alice/projectsV2/1");
  const tag = await call("get_ref", 200, `${gadgets}/git/ref/tags/v1.0`);
  const { object } = await call("get_tag", 200, `${gadgets}/git/tags/${tag.object.sha}`);
  await call("get_commit", 200, `${gadgets}/git/commits/${object.sha}`);
  await call("get_tree", 200, `${gadgets}/git/trees/main?recursive=1`);
  const app = { token: signature };
  await call("get_app", 200, "/app", app);
  await call("list_app_installations", 200, "/app/installations", app);
  await call("get_app_installation", 200, "/app/installations/7001", app);
  await call("get_org_installation", 200, "/orgs/acme/installation", app);
  await call("get_user_installation", 200, "/users/alice/installation", app);
  await call("get_repo_installation", 200, `${gadgets}/installation`, app);
  await call("create_installation_token", 201, "/app/installations/7001/access_tokens", app);
  await call("create_installation_token", 201, "/app/installations/7001/access_tokens", { ...app, body: { repositories: ["gadgets"], permissions: { contents: "read" } } });
}

await companionOperations();
const issueField = await issueFields();
await projectFields("org", "acme", [{ issue_field_id: issueField }]);
await projectFields("user", "alice", []);
await references();
await reviews();
await issues();
await statuses();
await reviewComments();
await installations();

for (const { name } of operations()) if (!reached.has(name)) report(`${name}: never succeeded`);
console.log(`${reached.size} operations, ${validated} responses validated, ${faultCount} faults`);
process.exitCode = faultCount ? 1 : 0;
