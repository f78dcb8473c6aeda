// The rows of the Requests page, its filter, and which requests it records.

import assert from "node:assert/strict";
import { consoleErrors, server } from "../browser.mjs";
import { accessible, callApi, control, open, page, screenshot, rows, step } from "./kit.mjs";

const filter = () => page.locator(".list input[type=search]");

await step("a row has its time, and the whole reason", async () => {
  await callApi("/orgs/acme/issue-fields", { method: "POST", headers: { authorization: "Bearer ghp_demo_bob_member" }, body: { name: "x", data_type: "text" } });
  await page.goto(`${server}/console/#/main/journal`);
  const row = rows().filter({ hasText: "/orgs/acme/issue-fields" }).first();
  const [entry] = (await control("/journal?per_page=1")).data;
  assert.equal(await row.locator("time").getAttribute("datetime"), entry.at);
  assert.equal(await row.locator("time").innerText(), entry.at.slice(11, 19));
  const reason = row.locator(".reason");
  assert.equal(await reason.innerText(), entry.explanation.steps.findLast((one) => one.outcome !== "passed").sentence);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const cut = await reason.evaluate((one) => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]);
    assert.deepEqual(cut, [0, 0], `at ${width} pixels`);
  }
  await page.setViewportSize({ width: 1360, height: 800 });
});

await step("a filter without matches says so", async () => {
  await filter().fill("path:nothing-like-this");
  await page.getByText("No request matches this filter.").waitFor();
  await accessible("a filter without matches");
  await callApi("/nothing-like-this");
  await rows().filter({ hasText: "nothing-like-this" }).waitFor();
  assert.equal(await page.getByText("No request matches this filter.").count(), 0);
  await filter().fill("");
  await rows().nth(1).waitFor();
});

await step("a misspelt filter is named with the nearest one, and changes nothing", async () => {
  const before = await rows().count();
  await filter().fill("404 calller:bob");
  const problem = page.locator(".tools .problem");
  await problem.getByText("There is no filter “calller”. Did you mean “caller”?").waitFor();
  assert.equal(await rows().count(), before);
  await accessible("a misspelt filter");
  await screenshot("misspelt-filter");
  await problem.getByRole("button", { name: "Correct it" }).click();
  assert.equal(await filter().inputValue(), "404 caller:bob");
  await page.waitForFunction(() => [...document.querySelectorAll(".list .row")].every((row) => row.innerText.includes("404") && row.innerText.includes("bob")));
  await problem.waitFor({ state: "hidden" });
  await filter().fill("zzzzzz:1");
  await problem.getByText("The filters are caller, path, op, operation, status, method.").waitFor();
  await filter().fill("constructor:1");
  await problem.getByText("There is no filter “constructor”.").waitFor();
  await filter().fill("caller:");
  await problem.getByText("“caller:” needs a value.").waitFor();
  await filter().fill("");
});

await step("the filter of the deliveries knows events, actions and states", async () => {
  await open("deliveries", "Deliveries");
  const asked = async (text, query) => {
    const sent = page.waitForRequest((request) => request.url().includes("/deliveries?") && query.every((part) => request.url().includes(part)));
    await filter().fill(text);
    await sent;
  };
  await asked("issues.opened app:ci-bot", ["event=issues", "action=opened", "app=ci-bot"]);
  await page.getByText("No delivery matches this filter.").waitFor();
  await asked("recorded", ["status=recorded"]);
  await filter().fill("evnt:push");
  await page.getByText("Did you mean “event”?").waitFor();
});

await step("the console records its own requests only behind a switch", async () => {
  const own = async () => (await control("/journal?path=/users/dave&per_page=1")).data.length;
  const view = async () => {
    await page.goto(`${server}/console/#/main/world/account/dave`);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: /dave/i }).waitFor();
  };
  await view();
  assert.equal(await own(), 0);
  await page.getByRole("link", { name: "Requests" }).click();
  const box = page.getByRole("switch", { name: /World page/ });
  assert.equal(await box.isChecked(), false);
  await box.check();
  await view();
  await page.waitForFunction(() => !document.querySelector("main").innerText.includes("Loading…"));
  assert.ok((await own()) > 0);
  await page.getByRole("link", { name: "Requests" }).click();
  await rows().filter({ hasText: "/users/dave" }).first().waitFor();
  await box.uncheck();
});

await step("a view that the token may not see has an explanation", async () => {
  const before = consoleErrors.length;
  await page.goto(`${server}/console/#/main/world/repo/globex/rockets`);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.locator(".why", { hasText: "globex/rockets" }).waitFor();
  // The browser logs a failed request; nothing else may log an error.
  const logged = consoleErrors.splice(before);
  assert.ok(logged.every((text) => text.includes("a status of 404")), logged.join("\n"));
});
