// Helpers for the console's tests: the page, the API, and axe-core.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { consoleErrors, screenshot as takeScreenshot, server, step as runStep, newPage } from "../browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const alice = { authorization: "Bearer ghp_demo_alice_admin" };

export const page = await newPage({ viewport: { width: 1360, height: 800 }, colorScheme: "light" });
export const screenshot = (name) => takeScreenshot(page, name, "console-");
export const step = (name, action) => runStep(page, name, action);
page.on("dialog", (dialog) => (consoleErrors.push(`a dialog: ${dialog.message()}`), dialog.dismiss()));

/** Sends a request to a world's API like a client under test. */
export async function callApi(path, { method = "GET", headers = alice, body, world = "" } = {}) {
  const response = await fetch(`${server}${world}${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, data: /json/.test(response.headers.get("content-type")) ? JSON.parse(text) : text };
}

/** Sends a request to the control API of the main world. */
export const control = (path) => callApi(`/_forgewright/worlds/main${path}`, { headers: {} });

/** Opens a view of the console and waits for its heading. */
export async function open(view, heading) {
  await page.goto(`${server}/console/#/main/${view}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}

/** Fails if axe-core finds an accessibility violation on the current page. */
export async function accessible(name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`).join("; ")}`);
  assert.deepEqual(found, [], name);
}

/** The rows of the list on the left, newest first. */
export const rows = () => page.locator(".list .row");
