// What the steps of the console's test share: the page, the API, and axe-core.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { complaints, picture as take, server, step as watch, watched } from "../browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const alice = { authorization: "Bearer ghp_demo_alice_admin" };

export const page = await watched({ viewport: { width: 1360, height: 800 }, colorScheme: "light" });
export const picture = (name) => take(page, name, "console-");
export const step = (name, action) => watch(page, name, action);
page.on("dialog", (dialog) => (complaints.push(`a dialog: ${dialog.message()}`), dialog.dismiss()));

/** Asks a world's API as a client under test would. */
export async function ask(path, { method = "GET", headers = alice, body, world = "" } = {}) {
  const answer = await fetch(`${server}${world}${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, data: /json/.test(answer.headers.get("content-type")) ? JSON.parse(text) : text };
}

/** Asks the control API about the main world. */
export const control = (path) => ask(`/_forgewright/worlds/main${path}`, { headers: {} });

/** Opens a view of the console and waits for its heading. */
export async function open(view, heading) {
  await page.goto(`${server}/console/#/main/${view}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}

/** What axe-core finds against accessibility, on the page as it is. */
export async function accessible(name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`).join("; ")}`);
  assert.deepEqual(found, [], name);
}

/** Rows of the list on the left, the newest first. */
export const rows = () => page.locator(".list .row");
