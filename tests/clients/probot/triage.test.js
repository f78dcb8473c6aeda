// A typical app: it labels and comments on new issues and pull requests, and reports a check run
// on pull requests. It uses only the data in the deliveries.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, gadgets, serve, until } from "./server.js";

const heard = [];

async function greet(context, label, body) {
  await context.octokit.rest.issues.addLabels(context.issue({ labels: [label] }));
  await context.octokit.rest.issues.createComment(context.issue({ body }));
}

serve((probot) => {
  probot.on("issues.opened", async (context) => {
    const { issue, sender } = context.payload;
    await greet(context, issue.title.endsWith("?") ? "question" : "bug", `Thank you, @${sender.login}.`);
  });

  probot.on(["pull_request.opened", "pull_request.synchronize"], async (context) => {
    const { checks, pulls } = context.octokit.rest;
    const { head } = context.payload.pull_request;
    const { data: run } = await checks.create(context.repo({ name: "Documented", head_sha: head.sha, status: "in_progress" }));
    const { data: files } = await pulls.listFiles(context.pullRequest());
    const notes = files.find(({ filename }) => filename.endsWith(".md"));
    if (context.payload.action === "opened") await greet(context, notes ? "documentation" : "code", `I look at ${files.length} file.`);
    const annotations = notes ? [] : [{ path: files[0].filename, start_line: 1, end_line: 1, annotation_level: "warning", message: "Say what this is for." }];
    const output = { title: notes ? "Documented" : "Undocumented", summary: `${files.length} changed`, annotations };
    await checks.update(context.repo({ check_run_id: run.id, status: "completed", conclusion: notes ? "success" : "failure", output }));
  });

  probot.on("check_run.completed", ({ payload: { check_run, sender } }) => {
    heard.push(`${check_run.name} of ${check_run.app.slug} by ${sender.login}: ${check_run.conclusion}`);
  });
});

/** The check run of a commit, once the app has completed it. */
function completed(sha) {
  return until("a completed check run", async () => {
    const { data } = await alice.rest.checks.listForRef({ ...gadgets, ref: sha, status: "completed" });
    return data.check_runs[0];
  });
}

/** The labels of an issue or a pull request, and its comments with their authors. */
async function conversation(issue_number) {
  const { data: comments } = await alice.rest.issues.listComments({ ...gadgets, issue_number });
  const { data: labels } = await alice.rest.issues.listLabelsOnIssue({ ...gadgets, issue_number });
  return [labels.map(({ name }) => name), comments.map(({ user, body }) => `${user.login}: ${body}`)];
}

test("the app labels and comments on a new issue", async () => {
  const { data: issue } = await alice.rest.issues.create({ ...gadgets, title: "Where are the handles?" });
  const found = await until("a comment", async () => {
    const [labels, comments] = await conversation(issue.number);
    return comments.length > 0 && [labels, comments];
  });
  assert.deepEqual(found, [["question"], ["ci-bot[bot]: Thank you, @alice."]]);
});

test("the app labels, comments on and checks a new pull request, and checks it again after a push", async () => {
  const { data: main } = await alice.rest.git.getRef({ ...gadgets, ref: "heads/main" });
  await alice.rest.git.createRef({ ...gadgets, ref: "refs/heads/triage", sha: main.object.sha });
  const write = async (path) => {
    const content = Buffer.from(path).toString("base64");
    const { data } = await alice.rest.repos.createOrUpdateFileContents({ ...gadgets, path, branch: "triage", message: `Add ${path}`, content });
    return data.commit.sha;
  };

  const first = await write("grip.rs");
  const { data: pull } = await alice.rest.pulls.create({ ...gadgets, title: "Grip", head: "triage", base: "main" });
  const failed = await completed(first);
  assert.deepEqual([failed.name, failed.app.slug, failed.conclusion, failed.output.title], ["Documented", "ci-bot", "failure", "Undocumented"]);
  const { data: annotations } = await alice.rest.checks.listAnnotations({ ...gadgets, check_run_id: failed.id });
  assert.deepEqual(annotations.map(({ path, message }) => [path, message]), [["grip.rs", "Say what this is for."]]);
  assert.deepEqual(await conversation(pull.number), [["code"], ["ci-bot[bot]: I look at 1 file."]]);

  const second = await write("grip.md");
  assert.equal((await completed(second)).conclusion, "success");
  assert.equal((await conversation(pull.number))[1].length, 1);
  await until("deliveries of both check runs", () => heard.length === 2);
  assert.deepEqual(heard, ["Documented of ci-bot by ci-bot[bot]: failure", "Documented of ci-bot by ci-bot[bot]: success"]);
});
