// Uses the documentation on a phone: reads it, authorizes, and executes an operation, without
// scrolling sideways.

import assert from "node:assert/strict";
import { browser, consoleErrors, foreignRequests, newPage, screenshot as takeScreenshot, server, step as runStep } from "./browser.mjs";

const WIDTH = 390;
const page = await newPage({ viewport: { width: WIDTH, height: 844 }, isMobile: true, hasTouch: true });
const step = (name, action) => runStep(page, name, action);
const block = (operation) => page.locator(`.opblock[id$="-${operation}"]`);

/** Fails if the page is wider than the screen; a phone would shrink it or scroll sideways. */
async function fits(name) {
  const widths = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
  assert.deepEqual(widths, [WIDTH, WIDTH], name);
  await takeScreenshot(page, name, "swagger-phone-");
}

/** The smallest font size of the visible texts of an element, in pixels. */
const smallest = (locator) => locator.evaluate((element) => Math.min(...[element, ...element.querySelectorAll("*")].filter((one) => one.childElementCount === 0 && one.innerText?.trim()).map((one) => Number.parseFloat(getComputedStyle(one).fontSize))));

try {
  await step("every document fits the screen", async () => {
    await page.goto(`${server}/docs/`);
    for (const [document, operation] of [["service", "get_ref"], ["companion", "get_repository"], ["control", "list_worlds"], ["operations", "readiness"]]) {
      await page.locator(".download-url-wrapper select").selectOption({ label: document });
      await page.waitForFunction(() => !document.querySelector(".loading-container") && document.querySelector(".opblock"));
      if (document !== "operations") await block(operation).waitFor();
      await fits(document);
    }
    await page.locator(".download-url-wrapper select").selectOption({ label: "service" });
    await block("get_ref").waitFor();
  });

  await step("operations are readable", async () => {
    for (const operation of ["list_org_project_fields", "reply_to_review_comment", "remove_installation_repository"]) {
      const summary = block(operation).locator(".opblock-summary");
      assert.ok((await smallest(summary)) >= 12, operation);
      const cut = await summary.evaluate((element) => [...element.querySelectorAll("*")].filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).map((one) => one.className));
      assert.deepEqual(cut, [], operation);
    }
  });

  await step("the dialog accepts a token", async () => {
    await page.locator(".auth-wrapper .authorize").first().tap();
    const dialog = page.locator(".modal-ux");
    await dialog.locator("input").first().fill("ghp_demo_alice_admin");
    await fits("authorize");
    await dialog.locator("button.authorize").first().tap();
    await dialog.getByText("Logout").first().waitFor();
    await dialog.locator("button.btn-done").first().tap();
    await dialog.waitFor({ state: "detached" });
  });

  await step("an operation can be filled in and executed", async () => {
    for (const operation of ["get_ref", "create_review_comment"]) {
      const one = block(operation);
      await one.locator(".opblock-summary-control").tap();
      await one.locator(".execute").waitFor();
      await fits(`${operation}-open`);
      const arrived = page.waitForResponse((response) => response.request().resourceType() === "fetch");
      await one.locator(".execute").tap();
      assert.ok((await arrived).status() < 300, operation);
      await one.locator(".live-responses-table tbody .response-col_status").first().waitFor();
      await one.locator(".live-responses-table").scrollIntoViewIfNeeded();
      await fits(`${operation}-response`);
      const narrow = await one.locator(".parameters-col_description input").evaluateAll((inputs) => inputs.filter((input) => input.clientWidth < 200).length);
      assert.equal(narrow, 0, operation);
      await one.locator(".opblock-summary-control").tap();
    }
  });

  await step("the browser console has no errors", () => assert.deepEqual(consoleErrors, []));
  await step("no request goes to another host", () => assert.deepEqual(foreignRequests, []));
} finally {
  await browser.close();
}
