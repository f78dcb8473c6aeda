// The links of responses (`html_url`, `avatar_url`) lead somewhere, also in the anonymous browser.

import assert from "node:assert/strict";
import { server } from "../browser.mjs";
import { callApi, page, step } from "./kit.mjs";

/** Follows a link and waits for the heading of its page. */
async function follow(link, heading) {
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}

await step("the link of a repository, a branch, a commit, an issue and a project leads to its page", async () => {
  const { data: repository } = await callApi("/repos/acme/gadgets");
  await follow(repository.html_url, "gadgets");
  await follow(`${repository.html_url}/tree/feature/a`, "gadgets");
  await page.getByRole("heading", { name: "Commits on feature/a" }).waitFor();
  const { data: commits } = await callApi("/repos/acme/gadgets/commits");
  await follow(commits[0].html_url, /./);
  assert.match(page.url(), new RegExp(`/commit/acme/gadgets/${commits[0].sha}$`));
  const { data: issues } = await callApi("/repos/acme/gadgets/issues?state=all");
  for (const issue of issues) await follow(issue.html_url, issue.title);
  const { data: project } = await callApi("/orgs/acme/projectsV2/1");
  await follow(project.html_url, project.title);
  await follow(`${server}/apps/ci-bot`, "ci-bot");
});

await step("the link of a comment leads to the comment", async () => {
  const { data: comments } = await callApi("/repos/acme/gadgets/pulls/1/comments");
  for (const comment of comments) {
    await follow(comment.html_url, /./);
    const [, anchor] = comment.html_url.split("#");
    assert.equal(anchor, `discussion_r${comment.id}`);
    const target = page.locator(`#${anchor}`);
    await target.waitFor();
    await page.waitForFunction((id) => document.activeElement?.id === id, anchor);
    assert.ok(await target.isVisible(), comment.html_url);
  }
  assert.ok(comments.length > 0);
});

await step("an avatar is a picture", async () => {
  const { data: alice } = await callApi("/users/alice");
  const width = await page.evaluate(async (url) => {
    const picture = new Image();
    picture.src = url;
    await picture.decode();
    return picture.naturalWidth;
  }, alice.avatar_url);
  assert.ok(width > 0);
});
