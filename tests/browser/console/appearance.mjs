// Every page at desktop and phone width, light and dark, and the load time of the first one.

import assert from "node:assert/strict";
import { server, newPage } from "../browser.mjs";
import { accessible, callApi, page, screenshot, rows, step } from "./kit.mjs";

// Fill the journal again after the resets.
await callApi("/repos/acme/gadgets/pulls/1");
await callApi("/repos/acme/widgets", { headers: {} });

for (const colorScheme of ["light", "dark"]) {
  for (const [device, width, height] of [["desktop", 1360, 800], ["phone", 390, 844]]) {
    await step(`every page is usable on a ${device} in ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      for (const view of ["journal", "world", "world/repo/acme/gadgets", "world/pull/acme/gadgets/1", "world/issue/acme/gadgets/3", "world/project/acme/1", "world/account/acme", "world/refs/acme/gadgets", "world/commit/acme/gadgets/main", "world/app/ci-bot", "world/installation/7001", "world/tokens", "deliveries", "faults"]) {
        await page.goto(`${server}/console/#/main/${view}`);
        await page.reload();
        await page.waitForFunction(() => {
          const main = document.querySelector("main");
          return [...main.querySelectorAll("h1")].some((heading) => heading.checkVisibility()) && !main.innerText.includes("Loading…");
        });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${view} is ${wide} pixels too wide`);
        await accessible(`${view} on a ${device} in ${colorScheme}`);
        await screenshot(`${view.replaceAll("/", "-")}-${device}-${colorScheme}`);
      }
      await page.goto(`${server}/console/#/main/journal`);
      await rows().first().click();
      await page.locator(".detail h1").waitFor();
      await accessible(`a request on a ${device} in ${colorScheme}`);
      await screenshot(`request-${device}-${colorScheme}`);
    });
  }
}

await step("the theme can be switched", async () => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1360, height: 800 });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: "Use the dark theme" }).click();
  assert.notEqual(await background(), light);
  await page.reload();
  await page.getByRole("button", { name: "Use the light theme" }).click();
  assert.equal(await background(), light);
});

await step("the first view appears", async () => {
  const times = [];
  for (let round = 0; round < 8; round += 1) {
    const fresh = await newPage({ viewport: { width: 1360, height: 800 } });
    await fresh.addInitScript(() => {
      const look = () => document.querySelector(".list .row") && requestAnimationFrame(() => (window.seen ??= performance.now()));
      new MutationObserver(look).observe(document, { childList: true, subtree: true });
    });
    await fresh.goto(`${server}/console/`);
    await fresh.waitForFunction(() => window.seen);
    times.push(Math.round(await fresh.evaluate(() => window.seen)));
    await fresh.close();
  }
  // A measurement without a limit, because it depends on the load of the machine.
  console.log(`first view: ${times.join(", ")} ms`);
});
