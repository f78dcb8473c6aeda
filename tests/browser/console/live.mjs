// Pages that follow what other programs do: deliveries, faults, the clock.

import assert from "node:assert/strict";
import { server } from "../browser.mjs";
import { accessible, callApi, open, page, screenshot, rows, step } from "./kit.mjs";

/** Sends a request to the control API of the main world, as another program. */
const control = (path, method, body) => callApi(`/_forgewright/worlds/main${path}`, { method, body, headers: {} });

await step("a new delivery appears, and the pause of another program", async () => {
  await open("deliveries", "Deliveries");
  const { data } = await callApi("/repos/acme/gadgets/git/ref/heads/main");
  await page.locator(".list .row, .list .empty").first().waitFor();
  const before = await rows().count();
  assert.equal((await callApi("/repos/acme/gadgets/git/refs", { method: "POST", body: { ref: "refs/heads/live", sha: data.object.sha } })).status, 201);
  await page.waitForFunction((before) => document.querySelectorAll(".list .row").length > before, before);
  assert.match(await rows().first().locator("time").innerText(), /^\d\d:\d\d:\d\d$/);
  await control("/delivery", "PUT", { paused: true });
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await control("/delivery", "PUT", { paused: false });
  await page.getByRole("button", { name: "Pause" }).waitFor();
});

await step("faults of another program appear, count their uses and disappear, and the focus stays", async () => {
  await open("faults", "Faults");
  await page.getByText("No rules").waitFor();
  const created = await control("/faults", "POST", { path: "/zen", effect: "status", status: 503 });
  assert.equal(created.status, 201);
  const rule = page.locator(".rules li", { hasText: "/zen" });
  await rule.waitFor();
  const remove = rule.getByRole("button", { name: /^Delete rule/ });
  await remove.focus();
  assert.equal((await fetch(`${server}/zen`)).status, 503);
  await rule.getByText("used 1 time").waitFor();
  await rule.locator("time").waitFor();
  assert.equal(await remove.evaluate((one) => document.activeElement === one), true);
  assert.equal(await page.locator(".rules li").count(), 1);
  await screenshot("live-faults");
  await accessible("live faults");
  await control("/faults", "DELETE");
  await page.getByText("No rules").waitFor();
});

await step("the toolbar shows how far the clock is from the system time", async () => {
  const chip = page.getByRole("button", { name: /^clock/ });
  assert.equal(await chip.locator(".offset").count(), 0);
  await control("/clock", "PATCH", { advance: 93600 });
  await chip.getByText("+1 d 2 h").waitFor();
  await chip.click();
  await page.locator("dialog").getByText("1 d 2 h ahead of the system time").waitFor();
  await accessible("the offset of the clock");
  await page.locator("dialog").getByRole("button", { name: "Use system time" }).click();
  await page.locator("dialog .offset").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  assert.equal(await chip.locator(".offset").count(), 0);
});

await step("a list notices that another program has emptied it", async () => {
  await page.route(/wait=25/, (route) => route.continue({ url: route.request().url().replace("wait=25", "wait=1") }));
  await callApi("/zen");
  await page.goto(`${server}/console/#/main/journal`);
  await page.reload();
  await rows().filter({ hasText: "/zen" }).first().waitFor();
  await control("/journal", "DELETE");
  await page.getByText("No requests yet.").waitFor();
  await callApi("/zen");
  await rows().filter({ hasText: "/zen" }).first().waitFor();
  await page.unroute(/wait=25/);
});

await step("no button of the toolbar is louder than the others", async () => {
  const styles = await page.locator("#toolbar > button:not(.chip)").evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
  assert.equal(new Set(styles).size, 1, styles.join());
});
