// The areas of the specification in the World page: issue fields, references, installations; and
// tokens, labels, statuses and checks.

import assert from "node:assert/strict";
import { consoleErrors, server } from "../browser.mjs";
import { accessible, callApi, open, page, screenshot, step } from "./kit.mjs";

const region = (name) => page.getByRole("region", { name });

await step("an organization shows its issue fields with their options", async () => {
  await open("world/account/acme", /Acme/);
  const fields = region("Issue fields");
  await fields.waitFor();
  const text = await fields.innerText();
  for (const part of ["Priority", "How soon it is needed", "single_select", "High", "Medium", "Estimate", "multi_select", "macOS"]) assert.ok(text.includes(part), part);
  await fields.locator(".option.red", { hasText: "High" }).waitFor();
  await screenshot("issue-fields");
});

await step("issue fields that a token may not read are no error", async () => {
  const before = consoleErrors.length;
  await page.getByLabel("View as").selectOption({ label: "anonymous (no token)" });
  await page.getByText(/Not visible with this token/).waitFor();
  await page.getByRole("heading", { level: 1, name: /Acme/ }).waitFor();
  await page.getByLabel("View as").selectOption({ label: "alice · classic" });
  await region("Issue fields").waitFor();
  const logged = consoleErrors.splice(before);
  assert.ok(logged.every((text) => /a status of 40[134]/.test(text)), logged.join("\n"));
});

await step("a repository shows its tags, and all other references", async () => {
  const { data } = await callApi("/repos/acme/gadgets/git/ref/heads/main");
  const made = await callApi("/repos/acme/gadgets/git/refs", { method: "POST", body: { ref: "refs/notes/review", sha: data.object.sha } });
  assert.equal(made.status, 201);
  await open("world/repo/acme/gadgets", "gadgets");
  await page.locator(".branches .tag", { hasText: "v0.9" }).waitFor();
  await page.locator(".detail").getByRole("link", { name: "All references" }).click();
  const refs = region("References");
  const names = () => refs.locator("tbody td:first-child").allInnerTexts();
  await refs.waitFor();
  for (const name of ["refs/heads/main", "refs/notes/review", "refs/pull/1/head", "refs/tags/v1.0"]) assert.ok((await names()).includes(name), name);
  assert.match(await refs.locator("tr", { hasText: "refs/tags/v1.0" }).innerText(), /\btag\b/);
  await screenshot("references");
  await page.getByLabel("Beginning of the name").fill("refs/tags/v1");
  await page.getByText("1 reference", { exact: true }).waitFor();
  assert.deepEqual(await names(), ["refs/tags/v1.0"]);
  await page.getByLabel("Beginning of the name").fill("tags/none");
  await page.getByText("No reference begins with “tags/none”.").waitFor();
  await page.getByLabel("Beginning of the name").fill("tags/v1.0");
  await refs.getByRole("link").click();
  await page.locator(".detail dt", { hasText: "Commit" }).waitFor();
});

await step("a repository with many references shows them a part at a time", async () => {
  const refs = Array.from({ length: 900 }, (_, at) => ({ ref: `refs/custom/${at}`, object: { type: "commit", sha: "0".repeat(40) } }));
  await page.route("**/git/matching-refs/**", (route) => route.fulfill({ json: refs }));
  await page.goto(`${server}/console/#/main/world/refs/acme/gadgets`);
  await page.getByText("900 references").waitFor();
  assert.equal(await region("References").locator("tbody tr").count(), 200);
  await page.getByRole("button", { name: "Show 200 more" }).click();
  assert.equal(await region("References").locator("tbody tr").count(), 400);
  await page.unroute("**/git/matching-refs/**");
});

await step("an installation shows permissions, events, repositories, webhook and suspension", async () => {
  await open("world/app/ci-bot", "ci-bot");
  await page.locator(".tree").getByRole("link", { name: "on acme" }).click();
  await page.getByRole("heading", { level: 1, name: "ci-bot on acme" }).waitFor();
  const text = await page.locator(".detail").innerText();
  for (const part of ["active", "contents: write", "pull_request", "Webhook", "Only selected repositories.", "acme/gadgets", "ghs_demo_ci_bot_acme"]) assert.ok(text.includes(part), part);
  await screenshot("installation");
  await accessible("installation");
});

await step("a suspended installation is marked", async () => {
  const body = { name: "suspended", file: "users: [{login: zoe}]\napps:\n  - {slug: helper, owner: zoe, permissions: {contents: read}}\ninstallations:\n  - {app: helper, account: zoe, suspended_by: zoe}\n" };
  const made = await callApi("/_forgewright/worlds", { method: "POST", headers: {}, body });
  assert.equal(made.status, 201, JSON.stringify(made.data));
  await page.goto(`${server}/console/#/suspended/world`);
  await page.locator(".tree").getByRole("link", { name: "on zoe" }).click();
  await page.getByText(/Suspended since .* by zoe/).waitFor();
  await accessible("a suspended installation");
  await open("world", "World main");
  await callApi("/_forgewright/worlds/suspended", { method: "DELETE", headers: {} });
});

await step("tokens have their scopes, permissions and repositories", async () => {
  await open("world", "World main");
  await page.locator(".tree").getByRole("link", { name: "Tokens" }).click();
  await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
  const token = (value) => page.locator(".tokens li", { hasText: value });
  assert.match(await token("ghp_demo_alice_admin").innerText(), /admin:org[\s\S]*repo/);
  assert.match(await token("github_pat_demo_alice").innerText(), /issue_fields: write/);
  assert.match(await token("ghs_demo_ci_bot_acme").innerText(), /contents: write[\s\S]*2099/);
});

await step("a commit and a pull request show statuses and checks", async () => {
  const head = (await callApi("/repos/acme/gadgets/pulls/1")).data.head.sha;
  const status = (body) => callApi(`/repos/acme/gadgets/statuses/${head}`, { method: "POST", body });
  assert.equal((await status({ context: "ci/lint", state: "failure", description: "3 problems", target_url: "https://ci.example/2" })).status, 201);
  const annotations = [{ path: "README.md", start_line: 2, end_line: 2, annotation_level: "warning", message: "<img src=x onerror=window.hacked=1>" }];
  const run = { name: "unit tests", head_sha: head, status: "completed", conclusion: "success", output: { title: "120 passed", summary: "All **good**", annotations } };
  const made = await callApi("/repos/acme/gadgets/check-runs", { method: "POST", headers: { authorization: "Bearer ghs_demo_ci_bot_acme" }, body: run });
  assert.equal(made.status, 201, JSON.stringify(made.data));
  for (const [view, heading] of [[`world/commit/acme/gadgets/${head}`, /.+/], ["world/pull/acme/gadgets/1", /./]]) {
    await open("journal", "Requests");
    await open(view, heading);
    const list = page.getByRole("list", { name: "Statuses and checks" });
    await list.waitFor();
    assert.match(await list.locator("li", { hasText: "ci/lint" }).innerText(), /failure · 3 problems details/);
    assert.match(await list.locator("li", { hasText: "unit tests" }).first().innerText(), /ci-bot · success[\s\S]*120 passed/);
    await list.getByText("output, 1 annotation").first().click();
    await list.locator(".annotations").getByText("<img src=x onerror=window.hacked=1>").waitFor();
    await screenshot("reports");
    await accessible("reports");
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

await step("a commit's changes are counted once", async () => {
  await open("world/repo/acme/gadgets/main", "gadgets");
  await page.locator(".commits .title").first().click();
  await page.locator(".diff .head").first().waitFor();
  const counts = await page.locator(".diff .head .soft").allInnerTexts();
  const files = (await callApi("/repos/acme/gadgets/commits/main")).data.files;
  assert.deepEqual(counts, files.map((file) => `+${file.additions} −${file.deletions}`));
});

await step("labels have their colours, and only valid ones", async () => {
  const colours = { black: "000000", white: "ffffff", middle: "757575", light: "fef2c0" };
  for (const [name, color] of Object.entries(colours)) assert.equal((await callApi("/repos/acme/gadgets/labels", { method: "POST", body: { name, color } })).status, 201);
  assert.equal((await callApi("/repos/acme/gadgets/issues/3/labels", { method: "POST", body: { labels: Object.keys(colours) } })).status, 200);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await open("journal", "Requests");
    await open("world/issue/acme/gadgets/3", /The handle squeaks/);
    const background = (name) => page.locator(".label", { hasText: name }).evaluate((one) => getComputedStyle(one).backgroundColor);
    assert.equal(await background("middle"), "rgb(117, 117, 117)");
    assert.equal(await background("needs oil"), "rgb(242, 149, 19)");
    // axe-core checks the contrast of the text.
    await accessible(`labels, ${colorScheme}`);
    await screenshot(`labels-${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  const styled = await page.evaluate(async () => {
    const { labels } = await import("./labels.js");
    const hostile = ["red", "fff", "12345g", "000000;background:url(//elsewhere.example)", "url(//elsewhere.example)", "", null, 7];
    return labels({ labels: hostile.map((color) => ({ name: "<b>x</b>", color })) }).filter(([tag]) => tag.classList.contains("label") || tag.getAttribute("style") || tag.childElementCount > 0).length;
  });
  assert.equal(styled, 0);
});
