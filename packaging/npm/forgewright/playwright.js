// A server of its own for each test of Playwright: `test("…", async ({ page, forge }) => …)`.
import { test as base } from "@playwright/test";
import { start } from "./index.js";

export const test = base.extend({
  forgeOptions: [{}, { option: true }],
  forge: async ({ forgeOptions }, use) => {
    const forge = await start(forgeOptions);
    await use(forge);
    await forge.stop();
  },
});

export { expect } from "@playwright/test";
