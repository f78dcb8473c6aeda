// Pages of other sites cannot use the control API: neither one at another port of this machine,
// nor one whose host name resolves to this machine.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { browser, server } from "../browser.mjs";
import { callApi, step } from "./kit.mjs";

const { port } = new URL(server);
const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<title>Other</title>"));
await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));

const worlds = async () => (await callApi("/_forgewright/worlds", { headers: {} })).data.length;

/** Tries to create worlds from a page at this address; returns what the page sees. */
async function attack(address, target) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route(address, (route) => route.fulfill({ contentType: "text/html", body: "<title>Other</title>" }));
  await page.goto(address);
  const outcomes = await page.evaluate(async (target) => {
    const attempt = async (path, init) => {
      try {
        const response = await fetch(target + path, init);
        return response.type === "opaque" ? "opaque" : response.status;
      } catch {
        return "blocked";
      }
    };
    const body = "{}";
    return [
      await attempt("/_forgewright/worlds", { method: "POST", body }),
      await attempt("/_forgewright/worlds", { method: "POST", body, mode: "no-cors" }),
      await attempt("/_forgewright/worlds", {}),
      await attempt("/_forgewright/worlds", { method: "POST", body, headers: { "x-forgewright-page": "0".repeat(64) } }),
      await attempt("/console/token", {}),
    ];
  }, target);
  await context.close();
  return outcomes;
}

await step("a page at another port cannot use the control API", async () => {
  const before = await worlds();
  const outcomes = await attack(`http://127.0.0.1:${other.address().port}/`, server);
  assert.deepEqual(outcomes, ["blocked", "opaque", "blocked", "blocked", "blocked"]);
  assert.equal(await worlds(), before);
});

for (const [host, status] of [["rebound.example", 403], ["a!b.rebound.example", 400]]) {
  await step(`a page at ${host}, which resolves to this machine, cannot use the control API`, async () => {
    const before = await worlds();
    const outcomes = await attack(`http://${host}:${port}/attack`, "");
    assert.deepEqual(outcomes, [status, status, status, status, status]);
    assert.equal(await worlds(), before);
  });
}

await step("the console itself can", async () => {
  const before = await worlds();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server}/console/`);
  const status = await page.evaluate(async () => {
    const token = await (await fetch("token")).text();
    const init = { method: "POST", body: "{}", headers: { "x-forgewright-page": token } };
    return (await fetch("/_forgewright/worlds", init)).status;
  });
  await context.close();
  assert.equal(status, 201);
  assert.equal(await worlds(), before + 1);
});

other.close();
