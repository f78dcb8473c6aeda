// Uses all five areas with a generated client. Compiling it checks that the types are consistent;
// running it checks that they match the server.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths as CompanionPaths } from "./companion.js";
import type { components, paths } from "./service.js";

type ReviewComment = components["schemas"]["ReviewComment"];

const baseUrl = process.env["FORGEWRIGHT_URL"] ?? "";

function as(token: string) {
  const headers = { Authorization: `Bearer ${token}`, "X-Service-Api-Version": "2026-03-10" };
  return { service: createClient<paths>({ baseUrl, headers }), companion: createClient<CompanionPaths>({ baseUrl, headers }) };
}

/** The data of a response; fails with the server's error message if there is none. */
function data<T>(result: { data?: T | undefined; error?: { message: string } | undefined }): T {
  assert.ok(result.data !== undefined, result.error?.message);
  return result.data;
}

const alice = as("ghp_demo_alice_admin");
const repository = { owner: "acme", repo: "gadgets" };

async function projectFields() {
  const path = { org: "acme", project_number: 1 };
  const add = await alice.service.POST("/orgs/{org}/projectsV2/{project_number}/fields", {
    params: { path },
    body: { name: "Mood", data_type: "single_select", single_select_options: [{ name: "Good", color: "GREEN" }] },
  });
  const field = data(add);
  assert.equal(field.options?.[0]?.name.raw, "Good");
  const get = await alice.service.GET("/orgs/{org}/projectsV2/{project_number}/fields/{field_id}", {
    params: { path: { ...path, field_id: field.id } },
  });
  assert.deepEqual(data(get), field);

  const names: string[] = [];
  let after: string | undefined;
  do {
    const list = await alice.service.GET("/orgs/{org}/projectsV2/{project_number}/fields", {
      params: { path, query: { per_page: 3, ...(after === undefined ? {} : { after }) } },
    });
    names.push(...data(list).map(({ name }) => name));
    const next = /[?&]after=([^&>]+)[^>]*>; rel="next"/.exec(list.response.headers.get("link") ?? "");
    after = next?.[1] && decodeURIComponent(next[1]);
  } while (after);
  assert.equal(names.at(-1), "Mood");
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length > 3);
}

async function issueFields() {
  const create = await alice.service.POST("/orgs/{org}/issue-fields", {
    params: { path: { org: "acme" } },
    body: { name: "Risk", data_type: "single_select", options: [{ name: "Low", color: "green", priority: 1 }] },
  });
  const { id, options } = data(create);
  const params = { path: { org: "acme", issue_field_id: id } };
  const kept = options?.map(({ id, name }) => ({ id, name, color: "blue" as const, priority: 2 })) ?? [];
  const update = await alice.service.PATCH("/orgs/{org}/issue-fields/{issue_field_id}", {
    params,
    body: { description: null, options: kept },
  });
  assert.equal(data(update).options?.[0]?.color, "blue");
  const gone = await alice.service.DELETE("/orgs/{org}/issue-fields/{issue_field_id}", { params });
  assert.equal(gone.response.status, 204);
  const list = data(await alice.service.GET("/orgs/{org}/issue-fields", { params: { path: { org: "acme" } } }));
  assert.deepEqual(list.find((field) => field.id === id), undefined);
}

async function reviewComments() {
  const pull = data(
    await alice.companion.GET("/repos/{owner}/{repo}/pulls/{pull_number}", { params: { path: { ...repository, pull_number: 1 } } }),
  );
  assert.ok(pull.commits > 0 && pull.additions > 0);
  const path = { ...repository, pull_number: pull.number };
  const create = await alice.service.POST("/repos/{owner}/{repo}/pulls/{pull_number}/comments", {
    params: { path },
    body: { body: "Well **done**", commit_id: pull.head.sha, path: "README.md", line: 2, side: "RIGHT" },
  });
  const comment: ReviewComment = data(create);
  assert.equal(comment.original_line, 2);
  assert.equal(comment.reactions?.["+1"], 0);
  const reply = await alice.service.POST("/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies", {
    params: { path: { ...path, comment_id: comment.id } },
    body: { body: "Thanks" },
  });
  assert.equal(data(reply).in_reply_to_id, comment.id);
  const at = { ...repository, comment_id: comment.id };
  const update = await alice.service.PATCH("/repos/{owner}/{repo}/pulls/comments/{comment_id}", {
    params: { path: at },
    body: { body: "Well *done*" },
  });
  assert.equal(data(update).body, "Well *done*");
  const html = await alice.service.GET("/repos/{owner}/{repo}/pulls/comments/{comment_id}", {
    params: { path: at },
    headers: { Accept: "application/vnd.github-commitcomment.html+json" },
  });
  assert.match(data(html).body_html ?? "", /<em>done<\/em>/);
  const list = await alice.service.GET("/repos/{owner}/{repo}/pulls/{pull_number}/comments", {
    params: { path, query: { sort: "created", direction: "desc", per_page: 1 } },
  });
  assert.equal(data(list)[0]?.body, "Thanks");
  await alice.service.DELETE("/repos/{owner}/{repo}/pulls/comments/{comment_id}", { params: { path: at } });
  const gone = await alice.service.GET("/repos/{owner}/{repo}/pulls/comments/{comment_id}", { params: { path: at } });
  assert.equal(gone.error?.message, "Not Found");
  assert.equal(gone.error.status, "404");
}

async function gitRefs() {
  const main = data(await alice.service.GET("/repos/{owner}/{repo}/git/ref/{ref}", { params: { path: { ...repository, ref: "heads/main" } } }));
  const topic = data(
    await alice.service.GET("/repos/{owner}/{repo}/git/ref/{ref}", { params: { path: { ...repository, ref: "heads/feature/a" } } }),
  );
  const create = await alice.service.POST("/repos/{owner}/{repo}/git/refs", {
    params: { path: repository },
    body: { ref: "refs/heads/sdk/try", sha: main.object.sha },
  });
  assert.equal(data(create).object.type, "commit");
  const params = { path: { ...repository, ref: "heads/sdk/try" } };
  const refused = await alice.service.PATCH("/repos/{owner}/{repo}/git/refs/{ref}", { params, body: { sha: "0".repeat(40) } });
  assert.equal(refused.error?.message, "Object does not exist");
  const update = await alice.service.PATCH("/repos/{owner}/{repo}/git/refs/{ref}", { params, body: { sha: topic.object.sha, force: true } });
  assert.equal(data(update).object.sha, topic.object.sha);
  const matching = await alice.service.GET("/repos/{owner}/{repo}/git/matching-refs/{ref}", {
    params: { path: { ...repository, ref: "heads/sdk" } },
  });
  assert.deepEqual(data(matching).map(({ ref }) => ref), ["refs/heads/sdk/try"]);
  const gone = await alice.service.DELETE("/repos/{owner}/{repo}/git/refs/{ref}", { params });
  assert.equal(gone.response.status, 204);
}

async function installations() {
  const user = as("ghu_demo_alice_ci_bot").service;
  const { installations } = data(await user.GET("/user/installations"));
  const [installation] = installations;
  assert.equal(installation?.app_slug, "ci-bot");
  const path = { installation_id: installation.id };
  const mine = data(await user.GET("/user/installations/{installation_id}/repositories", { params: { path } }));
  assert.equal(mine.repositories[0]?.permissions?.admin, true);
  const empty = data(await alice.companion.GET("/repos/{owner}/{repo}", { params: { path: { owner: "acme", repo: "empty" } } }));
  const params = { path: { ...path, repository_id: empty.id } };
  assert.equal((await alice.service.PUT("/user/installations/{installation_id}/repositories/{repository_id}", { params })).response.status, 204);
  const app = as("ghs_demo_ci_bot_acme").service;
  const reached = data(await app.GET("/installation/repositories", { params: { query: { per_page: 100 } } }));
  assert.equal(reached.total_count, mine.total_count + 1);
  assert.ok(reached.repositories.some(({ full_name }) => full_name === "acme/empty"));
  assert.equal((await alice.service.DELETE("/user/installations/{installation_id}/repositories/{repository_id}", { params })).response.status, 204);
  assert.equal((await app.DELETE("/installation/token")).response.status, 204);
  assert.equal((await app.GET("/installation/repositories")).error?.message, "Bad credentials");
}

async function companion() {
  const root = data(await alice.companion.GET("/"));
  assert.ok(root.current_user_url.endsWith("/user"));
  assert.deepEqual(data(await alice.companion.GET("/versions")), ["2022-11-28", "2026-03-10"]);
  assert.ok(data(await alice.companion.GET("/zen", { parseAs: "text" })).length > 0);
}

for (const area of [projectFields, issueFields, reviewComments, gitRefs, installations, companion]) {
  await area();
  console.log(`ok: ${area.name}`);
}
