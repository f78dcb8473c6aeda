// The tools for a world: deliveries, faults, the clock, snapshots, reset, other worlds.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { consoleErrors, server } from "../browser.mjs";
import { accessible, callApi, control, open, page, screenshot, rows, step } from "./kit.mjs";

await step("a delivery has a payload and headers, and can be redelivered", async () => {
  const received = [];
  const receiver = createServer((request, response) => {
    received.push(request.headers["x-github-event"]);
    request.resume().on("end", () => response.end("thanks"));
  });
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  await page.goto(`${server}/console/#/main/deliveries`);
  await page.locator(".row", { hasText: "push" }).first().click();
  await page.getByRole("heading", { level: 1, name: "push" }).waitFor();
  assert.match(await page.locator(".message").innerText(), /recorded only[\s\S]*refs\/heads\/feature\/a/);
  const url = `http://127.0.0.1:${receiver.address().port}/hook`;
  const headers = { authorization: `Bearer ${process.env.DEMO_SIGNATURE}` };
  assert.equal((await callApi("/app/hook/config", { method: "PATCH", headers, body: { url } })).status, 200);
  await page.getByRole("button", { name: "Redeliver" }).click();
  await page.locator(".sub", { hasText: "redelivery" }).filter({ hasText: "delivered" }).waitFor();
  assert.ok(received.includes("push"), received.join());
  await page.getByRole("tab", { name: "Response" }).click();
  assert.match(await page.locator(".message").innerText(), /200 OK[\s\S]*thanks/);
  await screenshot("deliveries");
  await accessible("deliveries");
  receiver.close();
});

await step("deliveries can be paused", async () => {
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  assert.equal((await control("/delivery")).data.paused, true);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
});

await step("a fault can be added, used and deleted", async () => {
  await open("faults", "Faults");
  await page.getByLabel("Path").fill("/zen");
  await page.getByLabel("Uses").fill("1");
  await page.getByRole("button", { name: "Add" }).click();
  await page.locator(".rules li", { hasText: "/zen" }).waitFor();
  assert.equal((await fetch(`${server}/zen`)).status, 502);
  await page.reload();
  await page.locator(".rules li", { hasText: "used 1 of 1" }).waitFor();
  await screenshot("faults");
  await accessible("faults");
  await page.getByRole("button", { name: /^Delete rule/ }).click();
  await page.locator(".empty", { hasText: "No rules" }).waitFor();
  assert.equal((await fetch(`${server}/zen`)).status, 200);
});

await step("the clock can be frozen, advanced and returned to system time", async () => {
  await page.getByRole("button", { name: /^clock/ }).click();
  await page.getByRole("button", { name: "Freeze" }).click();
  await page.locator("dialog", { hasText: "frozen" }).waitFor();
  const before = (await control("/clock")).data.now;
  await page.getByRole("button", { name: "1 day" }).click();
  await page.locator("#toolbar", { hasText: "frozen" }).waitFor();
  await page.waitForTimeout(300);
  assert.equal(Date.parse((await control("/clock")).data.now) - Date.parse(before), 86400000);
  await screenshot("clock");
  await accessible("clock");
  await page.getByRole("button", { name: "Use system time" }).click();
  await page.locator("dialog", { hasText: "running" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
});

await step("a snapshot can be created and restored, and the world can be reset", async () => {
  const headings = () => page.getByRole("heading", { level: 1 });
  await page.getByRole("button", { name: "Snapshots" }).click();
  await page.getByLabel("Name").fill("hostile");
  await page.getByRole("button", { name: "Create" }).click();
  await page.locator("dialog tbody tr", { hasText: "hostile" }).waitFor();
  await screenshot("snapshots");
  await accessible("snapshots");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Reset" }).click();
  await page.locator("dialog").getByRole("button", { name: "Reset" }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
  await open("world/pull/acme/gadgets/1", /Use a digit/);
  await page.getByRole("button", { name: "Snapshots" }).click();
  await page.locator("dialog tbody tr", { hasText: "hostile" }).getByRole("button", { name: "Restore" }).click();
  await page.locator("dialog").getByRole("button", { name: "Restore" }).click();
  await headings().filter({ hasText: "<img" }).first().waitFor();
  await page.getByRole("button", { name: "Reset" }).click();
  await page.locator("dialog").getByRole("button", { name: "Reset" }).click();
  await headings().filter({ hasText: "Use a digit" }).first().waitFor();
});

await step("a world can be created, viewed and deleted", async () => {
  await page.getByRole("button", { name: /^world/ }).click();
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL((url) => !url.hash.startsWith("#/main/"));
  const name = decodeURIComponent(new URL(page.url()).hash.split("/")[1]);
  assert.equal((await callApi("/zen", { world: `/_worlds/${name}` })).status, 200);
  await rows().filter({ hasText: "/zen" }).first().waitFor();
  await page.getByRole("link", { name: "World", exact: true }).click();
  await page.locator(".tree a", { hasText: "gadgets" }).click();
  await page.locator(".commits li").first().waitFor();
  await page.getByRole("button", { name: /^world/ }).click();
  await page.locator("dialog tbody tr").nth(1).waitFor();
  await screenshot("worlds");
  await accessible("worlds");
  await page.getByRole("button", { name: `Delete ${name}` }).click();
  await page.locator("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL((url) => url.hash.startsWith("#/main/"));
});

await step("a world can be created with a name, from a file", async () => {
  const before = consoleErrors.length;
  const dialog = page.locator("dialog");
  const upload = (text) => dialog.getByLabel("File", { exact: true }).setInputFiles({ name: "world.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) });
  await page.getByRole("button", { name: /^world/ }).click();
  await dialog.getByLabel("New world from").selectOption("file");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Choose a world file.").waitFor();
  await upload("users: [{login: zoe}]\nuserz: []\n");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.locator(".failure", { hasText: "users" }).waitFor();
  await accessible("a world file with a mistake");
  await screenshot("world-file");
  await upload("users: [{login: zoe}]\ntokens:\n  - {kind: classic, user: zoe, scopes: [repo]}\n");
  await dialog.getByLabel("Name").fill("main");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.locator(".failure", { hasText: "already exists" }).waitFor();
  await dialog.getByLabel("Name").fill("from-file");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.waitForURL((url) => url.hash.startsWith("#/from-file/"));
  // The browser logs the two refusals; nothing else may log an error.
  assert.equal(consoleErrors.splice(before).filter((text) => !text.includes("a status of 422")).length, 0);
  await page.getByRole("link", { name: "World", exact: true }).click();
  await page.locator(".tree a", { hasText: "zoe" }).waitFor();
  await page.getByRole("button", { name: /^world/ }).click();
  await dialog.getByRole("button", { name: "Delete from-file" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.waitForURL((url) => url.hash.startsWith("#/main/"));
});
