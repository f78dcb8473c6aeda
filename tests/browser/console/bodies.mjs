// Bodies of messages: coloured, truncated, very long, hostile.

import assert from "node:assert/strict";
import { server } from "../browser.mjs";
import { accessible, callApi, control, page, screenshot, rows, step } from "./kit.mjs";

const json = () => page.locator(".message .json");

/** Opens an invented delivery with this payload. */
async function deliver(payload) {
  const delivery = { id: 1, guid: "0", app: "ci-bot", event: "push", status: "delivered", attempt: 1, created_at: "2026-03-10T09:30:00Z", request: { url: "http://127.0.0.1:1/", headers: {}, payload }, response: null };
  await page.route("**/deliveries/1", (route) => route.fulfill({ json: delivery }));
  await page.goto(`${server}/console/#/main/deliveries/1`);
  await page.reload();
  await json().waitFor();
  await page.unroute("**/deliveries/1");
}

await step("JSON is indented and coloured", async () => {
  await callApi("/repos/acme/gadgets/git/ref/heads/main");
  await page.goto(`${server}/console/#/main/journal`);
  await rows().first().click();
  await page.getByRole("tab", { name: "Response" }).click();
  const [entry] = (await control("/journal?per_page=1")).data;
  assert.deepEqual(JSON.parse(await json().innerText()), JSON.parse(entry.answer.body.text));
  const texts = (kind) => json().locator(`.${kind}`).allInnerTexts();
  assert.ok((await texts("key")).includes('"ref"'));
  assert.ok((await texts("string")).includes('"refs/heads/main"'));
  await screenshot("json");
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    await accessible(`JSON, ${colorScheme}`);
  }
});

await step("invalid, truncated and hostile JSON is text, and large numbers keep their digits", async () => {
  const shown = (text) =>
    page.evaluate(async (text) => {
      const { code } = await import("./json.js");
      const block = code(text, "application/json");
      return { text: block.querySelector("pre").textContent, tags: [...new Set([...block.querySelectorAll("*")].map((one) => one.tagName))] };
    }, text);
  const cases = { '{"n":12345678901234567890,"e":{},"a":[]}': '{\n  "n": 12345678901234567890,\n  "e": {},\n  "a": []\n}', '{"a":["x","y': '{\n  "a": [\n    "x",\n    "y', "]]}\u00a0": "\n]\n]\n}\u00a0", '["<img src=x onerror=window.hacked=1>"]': '[\n  "<img src=x onerror=window.hacked=1>"\n]' };
  for (const [given, expected] of Object.entries(cases)) {
    const { text, tags } = await shown(given);
    assert.equal(text, expected);
    assert.ok(tags.every((tag) => ["PRE", "SPAN", "P", "BUTTON", "SMALL"].includes(tag)), tags.join());
  }
  const plain = await page.evaluate(async () => (await import("./json.js")).code("[info] not JSON", "text/plain").querySelector("pre").textContent);
  assert.equal(plain, "[info] not JSON");
});

await step("a long body is shown a part at a time", async () => {
  const part = async () => {
    const size = await json().locator("pre").evaluate((one) => [one.textContent.length, one.childNodes.length]);
    return { characters: size[0], nodes: size[1] };
  };
  const payloads = [Object.fromEntries(Array.from({ length: 40000 }, (_, at) => [`key${at}`, `value ${at}`])), { text: "x".repeat(1000000) }, JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`), Array(300000).fill(1)];
  for (const payload of payloads) {
    await deliver(payload);
    const first = await part();
    assert.ok(first.characters <= 60000 && first.nodes <= 60000, JSON.stringify(first));
    const more = json().getByRole("button", { name: "Show more" });
    if ((await more.count()) === 0) continue;
    await more.click();
    const second = await part();
    assert.ok(second.characters > first.characters && second.characters <= 120000, JSON.stringify(second));
  }
});
