// The Requests page: requests and why they were refused, live, by mouse and by keyboard.

import assert from "node:assert/strict";
import { request } from "node:http";
import { server } from "../browser.mjs";
import { accessible, callApi, page, screenshot, rows, step } from "./kit.mjs";

await step("the console has a strict content security policy", async () => {
  const redirect = await fetch(`${server}/console`, { redirect: "manual" });
  assert.deepEqual([redirect.status, redirect.headers.get("location")], [302, "/console/"]);
  const policy = (await fetch(`${server}/console/`)).headers.get("content-security-policy");
  for (const part of ["default-src 'none'", "script-src 'self';", "style-src 'self';", "connect-src 'self';"]) assert.ok(policy.includes(part), policy);
  assert.ok(!policy.includes("unsafe"), policy);
});

await step("a refused request shows the reason", async () => {
  assert.equal((await callApi("/repos/acme/gadgets/git/ref/heads/main")).status, 200);
  assert.equal((await callApi("/repos/acme/widgets/pulls/1/comments", { headers: {} })).status, 404);
  await page.goto(`${server}/console/`);
  await rows().filter({ hasText: "/repos/acme/widgets/pulls/1/comments" }).first().click();
  await page.locator(".why li").first().waitFor();
  assert.match(await page.locator(".why").innerText(), /acme\/widgets/);
  await screenshot("requests");
  await accessible("requests");
});

await step("a new request appears without a reload", async () => {
  const path = "/repos/acme/gadgets/milestones";
  assert.equal((await callApi(path, { method: "POST", body: { name: "bug" } })).status, 404);
  await rows().filter({ hasText: path }).first().click();
  await page.getByRole("heading", { level: 1, name: `POST ${path}` }).waitFor();
  await page.locator(".why", { hasText: "issues/create-milestone" }).waitFor();
  await page.getByRole("tab", { name: "As curl" }).click();
  assert.match(await page.locator(".message pre").innerText(), /^curl -X 'POST'/);
  await screenshot("curl");
});

await step("the command for curl quotes the method and sends the same body", async () => {
  const method = "X&ID`ID`'";
  await new Promise((resolve, reject) => {
    const sent = request(`${server}/zen`, { method }, (response) => response.resume().on("end", resolve));
    sent.on("error", reject).end("@/etc/hostname");
  });
  await rows().filter({ hasText: method }).first().click();
  await page.getByRole("tab", { name: "As curl" }).click();
  const command = await page.locator(".message pre").innerText();
  assert.ok(command.startsWith(String.raw`curl -X 'X&ID${"`ID`"}'\''' `), command);
  assert.match(command, /--data-raw '@\/etc\/hostname'/);
});

await step("filter and pause work with the keyboard", async () => {
  await page.locator(".detail").focus();
  await page.keyboard.press("/");
  await page.keyboard.type("404 path:widgets");
  await page.waitForFunction(() => [...document.querySelectorAll(".list .row")].every((row) => row.innerText.includes("widgets")));
  assert.ok((await rows().count()) > 0);
  await page.getByRole("searchbox").fill("");
  await page.waitForFunction(() => [...document.querySelectorAll(".list .row")].some((row) => row.innerText.includes("milestones")));
  await page.locator(".detail").focus();
  await page.keyboard.press("p");
  await page.getByRole("button", { name: "Resume" }).waitFor();
  const before = await rows().count();
  await callApi("/zen");
  await page.waitForTimeout(500);
  assert.equal(await rows().count(), before);
  await page.locator(".detail").focus();
  await page.keyboard.press("p");
  await rows().filter({ hasText: "/zen" }).first().waitFor();
});

await step("the keyboard navigates the page", async () => {
  await page.goto(`${server}/console/#/main/journal`);
  await page.reload();
  await rows().nth(1).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to content");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
  await rows().first().focus();
  await page.keyboard.press("ArrowDown");
  await page.locator(".detail h1").waitFor();
  assert.equal(await rows().nth(1).getAttribute("aria-current"), "true");
  await page.getByRole("tab", { name: "Request" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab", { name: "Response" }).getAttribute("aria-selected"), "true");
  await page.keyboard.press("Escape");
  await page.waitForURL(/#\/main\/journal$/);
});
