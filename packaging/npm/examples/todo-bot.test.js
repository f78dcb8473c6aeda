// Tests a Probot app as it runs in production: the server sends it webhooks, and the test acts as a user with
// `git` and Octokit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Octokit } from "@octokit/rest";
import { start } from "forgewright";
import { Probot, Server } from "probot";
import bot from "./todo-bot.js";

const robots = { owner: "acme", repo: "robots" };
const folder = mkdtempSync(join(tmpdir(), "robots-"));
const git = (...words) => execFileSync("git", ["-C", folder, "-c", "user.name=Alice", "-c", "user.email=alice@example.com", ...words], { stdio: "pipe" });
const patience = { timeout: 30_000 };
let forge, server;

before(async () => {
  forge = await start({ world: "todo-bot.yaml" });
  const { id: appId, private_key: privateKey } = forge.app("todo-bot");
  const options = { appId, privateKey, secret: "hush", baseUrl: forge.url, logLevel: "fatal" };
  server = new Server({ Probot: Probot.defaults(options), host: "127.0.0.1", port: 3107 });
  await server.load(bot);
  await server.start();
});

after(async () => {
  await server.stop();
  await forge.stop();
});

test("the bot opens a pull request, reviews it and answers", async () => {
  const { pulls } = new Octokit({ baseUrl: forge.url, auth: forge.token("alice") }).rest;
  git("clone", "--quiet", `${forge.url.replace("//", `//alice:${forge.token("alice")}@`)}/acme/robots.git`, ".");
  git("switch", "--quiet", "--create", "arms");
  writeFileSync(join(folder, "README.md"), "# Robots\n\nTODO: arms\n");
  git("commit", "--quiet", "--all", "--message", "Describe the arms");
  git("push", "--quiet", "origin", "arms");

  await forge.journal.wait({ operation: "create_review", status: 200 }, patience);
  const [pull] = (await pulls.list(robots)).data;
  assert.deepEqual([pull.title, pull.user.login], ["Describe the arms", "todo-bot[bot]"]);
  const at = { ...robots, pull_number: pull.number };
  const [question] = (await pulls.listReviewComments(at)).data;
  assert.deepEqual([question.path, question.line, question.body], ["README.md", 3, "When will this be done?"]);

  await pulls.createReplyForReviewComment({ ...at, comment_id: question.id, body: "Tomorrow." });
  await forge.journal.wait({ operation: "reply_to_review_comment", caller: "todo-bot" }, patience);
  assert.equal((await pulls.listReviewComments(at)).data[2].body, "Thank you, @alice.");
});
