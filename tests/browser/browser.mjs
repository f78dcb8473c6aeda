// Chromium, and the rules for every page: it fetches nothing from another host, and logs no
// errors to the browser console.

import { chromium } from "playwright-core";

export const server = process.env.FORGEWRIGHT_URL;
const folder = process.env.BROWSER_SCREENSHOTS;
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Names of another site that resolve to this machine, which new versions of Chromium keep from
  // it by themselves.
  "--disable-features=LocalNetworkAccessChecks",
  "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP *.rebound.example 127.0.0.1",
];

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });

/** Errors on the browser console, and the URLs of requests to other hosts. */
export const consoleErrors = [];
export const foreignRequests = [];

/** Opens a page and records its errors and its requests to other hosts. */
export async function newPage(options) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(20000);
  page.on("console", (message) => message.type() === "error" && consoleErrors.push(`${message.text()} (${message.location().url})`));
  page.on("pageerror", (error) => consoleErrors.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${server}/`) && !/^(data|blob):/.test(request.url())) foreignRequests.push(request.url());
  });
  return page;
}

let screenshots = 0;

/** Takes a screenshot for people to look at; the numbers follow the order of the steps. */
export async function screenshot(page, name, prefix = "") {
  screenshots += 1;
  await page.screenshot({ path: `${folder}/${prefix}${String(screenshots).padStart(2, "0")}-${name}.png` });
}

/** Runs a step of the test. The test continues after a failed step. */
export async function step(page, name, action) {
  try {
    await action();
    console.log(`ok: ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`FAILED: ${name}: ${error.message}`);
    await screenshot(page, "failure");
  }
}
