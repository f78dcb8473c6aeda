// The World page: repositories, pull requests with threads, issues, projects, apps, and
// hostile input.

import assert from "node:assert/strict";
import { consoleErrors, server } from "../browser.mjs";
import { accessible, callApi, open, page, screenshot, rows, step } from "./kit.mjs";

const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><a href="javascript:window.hacked=1">click</a>`;

await step("a repository has branches, pull requests and a commit graph", async () => {
  await open("world/repo/acme/gadgets", "gadgets");
  await page.locator(".commits li").nth(4).waitFor();
  assert.equal(await page.locator(".commits circle").count(), 5);
  assert.ok((await page.locator(".commits .lane1").count()) > 0, "the merge has a second lane");
  await page.locator(".tree a", { hasText: "feature/a" }).click();
  await page.getByRole("heading", { name: "Commits on feature/a" }).waitFor();
  await screenshot("repository");
  await accessible("repository");
  await page.locator(".commits .title", { hasText: "Weigh the grips too" }).click();
  await page.locator(".diff").nth(1).waitFor();
  await accessible("commit");
});

await step("a pull request shows its diff with the threads in place", async () => {
  await open("world/pull/acme/gadgets/1", /Use a digit/);
  const readme = page.locator(".diff", { hasText: "README.md" });
  await readme.locator(".thread").waitFor();
  const order = await readme.locator(".lines > *").evaluateAll((all) => all.map((one) => [one.className.trim(), one.innerText]));
  const at = order.findIndex(([kind]) => kind === "thread");
  assert.match(order[at - 1].join(" "), /added.*2 handles/s);
  assert.match(order[at][1], /alice[\s\S]*Why 2\?[\s\S]*bob[\s\S]*Shorter\./);
  await screenshot("pull");
  await accessible("pull");
});

await step("an outdated thread is collapsed", async () => {
  const { data } = await callApi("/repos/acme/gadgets/contents/README.md?ref=feature/a");
  const content = Buffer.from("# Gadgets\nTwo good handles.\n").toString("base64");
  const body = { message: "Write it out", content, sha: data.sha, branch: "feature/a" };
  assert.equal((await callApi("/repos/acme/gadgets/contents/README.md", { method: "PUT", body })).status, 200);
  await page.reload();
  const fold = page.locator(".diff", { hasText: "README.md" }).locator("details.folded");
  await fold.waitFor();
  assert.equal(await fold.locator(".thread").count(), 0);
  await fold.locator("summary").click();
  assert.match(await fold.locator(".thread").innerText(), /Why 2\?/);
  await screenshot("outdated");
  await accessible("outdated");
});

await step("an issue shows its labels, field values and comments", async () => {
  const created = await callApi("/repos/acme/gadgets/issues/3/comments", { method: "POST", body: { body: "It does **not**." } });
  assert.equal(created.status, 201);
  const reaction = { method: "POST", body: { content: "heart" } };
  assert.equal((await callApi(`/repos/acme/gadgets/issues/comments/${created.data.id}/reactions`, reaction)).status, 201);
  await open("world/repo/acme/gadgets", "gadgets");
  await page.locator(".detail").getByRole("link", { name: "The handle squeaks" }).click();
  await page.getByRole("heading", { level: 1, name: /The handle squeaks/ }).waitFor();
  const text = await page.locator(".detail").innerText();
  for (const part of [/opened by bob/, /needs oil/, /Priority\s+Medium/, /Estimate\s+0\.5/, /Platforms\s+Linux\s+macOS/, /3 comments/, /It does not\./, /❤️ 1/]) assert.match(text, part);
  await screenshot("issue");
  await accessible("issue");
});

await step("a project has tables of items and fields, and an app lists its installations", async () => {
  await open("world/project/acme/1", /Roadmap/);
  const fields = page.getByRole("region", { name: "Fields" });
  await fields.locator("tbody tr").nth(5).waitFor();
  assert.match(await fields.locator("tbody").innerText(), /Status[\s\S]*Todo[\s\S]*Done/);
  const items = page.getByRole("region", { name: "Items" });
  assert.match(await items.locator("thead").innerText(), /Title[\s\S]*Status/);
  await items.locator("tbody tr").nth(1).waitFor();
  await screenshot("project");
  await accessible("project");
  await open("world/account/acme", /Acme/);
  await accessible("account");
  await open("world/app/ci-bot", "ci-bot");
  await page.getByRole("region", { name: "Installations" }).waitFor();
  assert.match(await page.getByRole("region", { name: "Installations" }).innerText(), /globex/);
  await screenshot("app");
  await accessible("app");
});

await step("a repository hidden from one token is visible with another", async () => {
  const before = consoleErrors.length;
  await page.goto(`${server}/console/#/main/world/repo/globex/rockets`);
  await page.locator(".failure").waitFor();
  await page.getByLabel("View as").selectOption({ label: "dave · classic" });
  await page.getByRole("heading", { level: 1, name: "rockets" }).waitFor();
  await page.getByLabel("View as").selectOption({ label: "alice · classic" });
  await page.locator(".failure").waitFor();
  await page.waitForTimeout(200);
  // The browser logs a failed request; nothing else may log an error.
  const logged = consoleErrors.splice(before);
  assert.ok(logged.every((text) => text.includes("a status of 404")), logged.join("\n"));
});

await step("hostile input is rendered as text", async () => {
  const commit = (await callApi("/repos/acme/gadgets/pulls/1")).data.head.sha;
  const comment = { body: `${HOSTILE}\n\n[link](javascript:alert(1)) ![x](https://elsewhere.example/x.png)`, commit_id: commit, path: "src/grip.rs", line: 1, side: "RIGHT" };
  assert.equal((await callApi("/repos/acme/gadgets/pulls/1/comments", { method: "POST", body: comment })).status, 201);
  assert.equal((await callApi("/repos/acme/gadgets/pulls/1", { method: "PATCH", body: { title: HOSTILE, body: HOSTILE } })).status, 200);
  const field = { name: HOSTILE.slice(0, 40), data_type: "single_select", single_select_options: [{ name: "<b onclick=x>", color: "RED", description: HOSTILE.slice(0, 60) }] };
  await callApi("/orgs/acme/projectsV2/1/fields", { method: "POST", body: field });
  await callApi(`/repos/acme/${encodeURIComponent("<img src=x onerror=window.hacked=1>")}`, { headers: { "user-agent": HOSTILE } });
  await page.goto(`${server}/console/#/main/world/pull/acme/gadgets/1`);
  await page.reload();
  await page.locator(".thread", { hasText: "click" }).waitFor();
  assert.ok((await page.locator(".detail h1").innerText()).startsWith(HOSTILE));
  await screenshot("hostile");
  for (const view of ["world/project/acme/1", "world/repo/acme/gadgets", "journal"]) {
    await page.goto(`${server}/console/#/main/${view}`);
    await page.reload();
    await page.waitForTimeout(400);
    if (view === "journal") await rows().first().click();
    await page.waitForTimeout(300);
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("img, script:not([src]), iframe, a[href^='javascript']").count(), 0);
});

await step("a pull request with many comments loads in pages", async () => {
  const commit = (await callApi("/repos/acme/gadgets/pulls/1")).data.head.sha;
  const comment = (number) => callApi("/repos/acme/gadgets/pulls/1/comments", { method: "POST", body: { body: `Remark ${number}`, commit_id: commit, path: "src/grip.rs", line: 2, side: "RIGHT" } });
  for (let number = 0; number < 120; number += 1) assert.equal((await comment(number)).status, 201);
  const requested = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.goto(`${server}/console/#/main/world/pull/acme/gadgets/1`);
  await page.reload();
  await page.getByRole("heading", { name: /100 of 126 comments loaded/ }).waitFor();
  assert.equal(requested.filter((url) => url.includes("/pulls/1/comments?")).length, 1);
  await page.getByRole("button", { name: "Load 100 more comments" }).click();
  await page.getByRole("heading", { name: /126 comments/ }).waitFor();
  await page.locator(".thread", { hasText: "Remark 119" }).waitFor();
});
