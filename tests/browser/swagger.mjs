// Uses the documentation in Chromium like a new user: reads it, authorizes with a demo
// token, and executes operations with the prefilled examples.
//
// The page may fetch nothing from another host and log no errors to the browser console.
// The browser logs every error response there; the test ignores only the expected ones.

import assert from "node:assert/strict";
import { browser, consoleErrors, foreignRequests, screenshot as takeScreenshot, server, step as runStep, newPage } from "./browser.mjs";

const folder = process.env.BROWSER_SCREENSHOTS;
const page = await newPage({ viewport: { width: 1280, height: 1000 } });
const screenshot = (name) => takeScreenshot(page, name);
const step = (name, action) => runStep(page, name, action);

/** Expands the block of an operation and returns it. */
async function open(operation) {
  const block = page.locator(`.opblock[id$="-${operation}"]`);
  await block.waitFor();
  await block.scrollIntoViewIfNeeded();
  if (!(await block.getAttribute("class")).includes("is-open")) await block.locator(".opblock-summary-control").click();
  await block.locator(".execute").waitFor();
  return block;
}

/** Executes an operation with the prefilled values; returns the status, the body and the URL. */
async function execute(operation, { fill = {}, keep = false } = {}) {
  const block = await open(operation);
  for (const [name, value] of Object.entries(fill)) {
    await block.locator(`tr[data-param-name="${name}"] input`).fill(value);
  }
  // The block may show the previous response until this one arrives.
  const arrived = page.waitForResponse((response) => response.request().resourceType() === "fetch");
  await block.locator(".execute").click();
  const status = (await arrived).status();
  const live = block.locator(".live-responses-table");
  await live.locator("tbody .response-col_status").filter({ hasText: new RegExp(`^\\s*${status}`) }).first().waitFor();
  const address = (await block.locator(".request-url pre").innerText()).trim();
  const shown = live.locator(".highlight-code > .microlight, .highlight-code pre").first();
  const text = (await shown.count()) ? await shown.innerText() : "";
  await live.scrollIntoViewIfNeeded();
  await screenshot(operation);
  if (!keep) await block.locator(".opblock-summary-control").click();
  return { status, address, text };
}

async function expect(operation, status, part, options) {
  await step(`${operation} returns ${status}`, async () => {
    const response = await execute(operation, options);
    assert.equal(response.status, status, response.text);
    assert.ok(response.address.startsWith(server), response.address);
    assert.ok(response.text.includes(part), `no ${part} in ${response.text}`);
    if (options?.address) assert.ok(options.address.test(response.address), response.address);
  });
}

async function choose(document) {
  await page.locator(".download-url-wrapper select").selectOption({ label: document });
  await page.waitForFunction(() => !document.querySelector(".loading-container"));
}

async function authorize(token, scheme = "token") {
  await page.locator(".auth-wrapper .authorize").first().click();
  const dialog = page.locator(".modal-ux");
  const form = dialog.locator(".auth-container").filter({ has: page.locator("h4", { hasText: `${scheme} ` }) });
  await form.locator("input").first().fill(token);
  await screenshot("authorize");
  await form.locator("button.authorize").click();
  await form.locator("text=Logout").waitFor();
  await dialog.locator("button.btn-done").first().click();
}

async function logOut() {
  await page.locator(".auth-wrapper .authorize").first().click();
  const dialog = page.locator(".modal-ux");
  await dialog.locator("text=Logout").click();
  await dialog.locator("button.btn-done").first().click();
}

try {
  await step("the root redirects a browser to the documentation", async () => {
    await page.goto(`${server}/`);
    assert.equal(page.url(), `${server}/docs/`);
    await page.locator(".opblock").first().waitFor();
    assert.equal(await page.locator(".opblock").count(), 28);
    await screenshot("service");
  });
  await step("any other client gets JSON at the root", async () => {
    const response = await fetch(`${server}/`, { redirect: "manual" });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  });
  await expect("get_ref", 200, '"refs/heads/', { address: /\/git\/ref\/heads/ });

  await step("the dialog accepts a token", () => authorize("ghp_demo_alice_admin"));
  await expect("list_org_project_fields", 200, "project_url");
  await expect("add_org_project_field", 201, "project_url");
  await expect("get_org_project_field", 200, "project_url");
  await expect("get_user_project_field", 200, "project_url");
  await expect("list_issue_fields", 200, "data_type");
  await expect("create_issue_field", 200, "data_type");
  await expect("update_issue_field", 200, "data_type");
  await expect("list_pull_review_comments", 200, "diff_hunk");
  await expect("create_review_comment", 201, "diff_hunk");
  await expect("reply_to_review_comment", 201, "in_reply_to_id");
  await expect("list_matching_refs", 200, '"refs/heads/');
  await expect("create_ref", 201, '"refs/heads/');
  await expect("get_ref", 200, '"refs/heads/feature/a"', { fill: { ref: "heads/feature/a" }, address: /heads(%2F|\/)feature(%2F|\/)a$/ });
  await expect("update_ref", 200, '"refs/heads/');
  await step("a change by another client becomes visible", async () => {
    const refs = `${server}/repos/acme/gadgets/git/refs`;
    const headers = { authorization: "Bearer ghp_demo_alice_admin" };
    const { object } = await (await fetch(`${refs}/heads/feature/a`, { headers })).json();
    const body = JSON.stringify({ ref: "refs/heads/passing", sha: object.sha });
    assert.equal((await fetch(refs, { method: "POST", headers, body })).status, 201);
    const options = { fill: { ref: "heads/passing" } };
    assert.equal((await execute("get_ref", options)).status, 200);
    assert.equal((await fetch(`${refs}/heads/passing`, { method: "DELETE", headers })).status, 204);
    const before = consoleErrors.length;
    assert.equal((await execute("get_ref", options)).status, 404);
    await page.waitForTimeout(200);
    consoleErrors.splice(before);
  });
  await expect("add_installation_repository", 204, "");

  await step("another token can replace it", async () => {
    await logOut();
    await authorize("ghu_demo_alice_ci_bot");
  });
  await expect("list_user_installations", 200, "total_count");
  await expect("list_user_installation_repositories", 200, "total_count");

  await step("an operation that the token may not use returns 403", async () => {
    const before = consoleErrors.length;
    const response = await execute("list_installation_repositories");
    assert.equal(response.status, 403, response.text);
    assert.ok(response.text.includes("documentation_url"), response.text);
    await page.waitForTimeout(200);
    // The browser logs a failed request; nothing else may log an error.
    const logged = consoleErrors.splice(before);
    assert.ok(logged.every((text) => /the server responded with a status of 403/.test(text)), logged.join("\n"));
  });

  await step("an installation token can replace it", async () => {
    await logOut();
    await authorize("ghs_demo_ci_bot_acme");
  });
  await expect("list_installation_repositories", 200, '"gadgets"');

  await step("the companion document can be selected", async () => {
    await choose("companion");
    await page.locator('.opblock[id$="-list_versions"]').waitFor();
    await screenshot("companion");
  });
  await expect("list_versions", 200, "2026-03-10");
  await expect("get_repository", 200, "acme/gadgets");
  await step("the app can authenticate with the demo key", () => authorize(process.env.DEMO_SIGNATURE, "app"));
  await expect("get_app", 200, '"ci-bot"');
  await expect("get_user_installation", 200, '"alice"');
  await expect("create_installation_token", 201, '"ghs_');

  await step("the document of operations can be selected", async () => {
    await choose("operations");
    await page.locator(".opblock").first().waitFor();
    await screenshot("operations");
  });

  await step("take the screenshot for the README", async () => {
    await page.setViewportSize({ width: 1040, height: 1000 });
    await choose("service");
    await page.locator(".operation-filter-input").fill("Git references");
    await page.locator('.opblock[id$="-list_issue_fields"]').waitFor({ state: "detached" });
    await execute("get_ref", { fill: { ref: "heads/feature/a" }, keep: true });
    const block = page.locator('.opblock[id$="-get_ref"]');
    await page.evaluate(() => window.scrollTo(0, 0));
    const top = (await block.boundingBox()).y - 16;
    const body = await block.locator(".live-responses-table .highlight-code").first().boundingBox();
    const clip = { x: 0, y: top, width: 1040, height: body.y + body.height + 10 - top };
    await page.screenshot({ path: `${folder}/readme.png`, fullPage: true, clip });
  });

  await step("the browser console has no errors", () => assert.deepEqual(consoleErrors, []));
  await step("no request goes to another host", () => assert.deepEqual(foreignRequests, []));
} finally {
  await browser.close();
}
