// Chromium, and what every page must keep to: nothing is fetched from another host, and the
// console stays free of errors.

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
];

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });

/** What the console said, and what was asked of another host. */
export const complaints = [];
export const elsewhere = [];

/** A page that is watched. */
export async function watched(options) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(20000);
  page.on("console", (message) => message.type() === "error" && complaints.push(`${message.text()} (${message.location().url})`));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${server}/`) && !/^(data|blob):/.test(request.url())) elsewhere.push(request.url());
  });
  return page;
}

let pictures = 0;

/** A screenshot for people; the names are in the order of the test. */
export async function picture(page, name, prefix = "") {
  pictures += 1;
  await page.screenshot({ path: `${folder}/${prefix}${String(pictures).padStart(2, "0")}-${name}.png` });
}

/** One failure does not hide the next. */
export async function step(page, name, action) {
  try {
    await action();
    console.log(`ok: ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`FAILED: ${name}: ${error.message}`);
    await picture(page, "failure");
  }
}
