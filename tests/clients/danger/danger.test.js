// danger as a step of a workflow: it reads the pull request, evaluates the Dangerfile, and
// reports its findings in a comment, a review comment and a status. A later run updates them.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { alice, baseUrl, gadgets, missing, run } from "../programs.js";

const pull = { ...gadgets, pull_number: 1 };
const issue = { ...gadgets, issue_number: 1 };
let folder;
let first;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "forgewright-danger."));
  const { data } = await alice.rest.pulls.get(pull);
  await writeFile(join(folder, "event.json"), JSON.stringify({ action: "opened", number: 1, pull_request: data }));
});
after(() => rm(folder, { recursive: true }));

const danger = (...parameters) =>
  run("danger", parameters, {
    cwd: import.meta.dirname,
    env: {
      GITHUB_WORKFLOW: "Review",
      GITHUB_EVENT_NAME: "pull_request",
      GITHUB_EVENT_PATH: join(folder, "event.json"),
      DANGER_GITHUB_API_TOKEN: "alice-classic",
      DANGER_GITHUB_API_BASE_URL: baseUrl,
      DANGER_GITHUB_HOST: new URL(baseUrl).host,
    },
  });

const comments = async () => (await alice.rest.issues.listComments(issue)).data;
const inline = async () => (await alice.rest.pulls.listReviewComments(pull)).data;

/** The status that danger sets on the head; it must be the only one. */
async function status() {
  const { data } = await alice.rest.repos.getCombinedStatusForRef({ ...gadgets, ref: "feature/a" });
  assert.deepEqual(data.statuses.map(({ context }) => context), ["Danger"]);
  assert.equal(data.state, data.statuses[0].state);
  return data.statuses[0];
}

test("findings become a comment, a review comment and a failed status", async () => {
  const { code, output } = await danger("ci", "--failOnErrors");
  assert.equal(code, 1, output);
  assert.match(output, /Failing the build, there is 1 fail\./);

  [first] = await comments();
  assert.equal(first.user.login, "alice");
  assert.match(first.body, /bob has not labelled this as ready/);
  assert.match(first.body, /Say why README\.md gains 2 lines/);
  assert.deepEqual((await inline()).map(({ path, line, body }) => [path, line, body.includes("Write the number as a word")]), [["README.md", 2, true]]);
  const { state, target_url } = await status();
  assert.deepEqual([state, target_url], ["failure", first.html_url]);
});

test("the next run edits the same comments", async () => {
  const [line] = await inline();
  await alice.rest.issues.addLabels({ ...issue, labels: ["ready"] });
  const { code, output } = await danger("ci", "--failOnErrors");
  assert.equal(code, 0, output);
  assert.match(output, /Found only warnings, not failing the build\./);

  const [second, ...more] = await comments();
  assert.deepEqual([second.id, more], [first.id, []]);
  assert.doesNotMatch(second.body, /labelled/);
  assert.match(second.body, /Say why/);
  assert.deepEqual((await inline()).map(({ id }) => id), [line.id]);
  assert.equal((await status()).state, "success");
});

test("`danger pr` prints the findings and writes nothing", async () => {
  const { code, output } = await danger("pr", `${baseUrl}/acme/gadgets/pull/1`);
  assert.equal(code, 0, output);
  assert.match(output, /Say why README\.md gains 2 lines/);
  assert.equal((await comments()).length, 1);
});

test("danger deletes its comments when all findings are fixed", async () => {
  await alice.rest.pulls.update({ ...pull, body: "Digits are shorter." });
  const readme = { ...gadgets, path: "README.md" };
  const { data } = await alice.rest.repos.getContent({ ...readme, ref: "feature/a" });
  const text = Buffer.from(data.content, "base64").toString().replace("2 handles", "Both handles");
  const content = Buffer.from(text).toString("base64");
  await alice.rest.repos.createOrUpdateFileContents({ ...readme, message: "Use a word", sha: data.sha, content, branch: "feature/a" });

  const { code, output } = await danger("ci", "--failOnErrors");
  assert.equal(code, 0, output);
  assert.deepEqual([await comments(), await inline()], [[], []]);
  const { state, description } = await status();
  assert.equal(state, "success");
  assert.match(description, /^All green\./);
});

test("danger tolerates the one operation that is missing", async () => {
  assert.deepEqual(await missing(), [
    "GET /repos/acme/gadgets/pulls/1/requested_reviewers: GitHub has this operation (pulls/list-requested-reviewers), but this server does not",
  ]);
});
