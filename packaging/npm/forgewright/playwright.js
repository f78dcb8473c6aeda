// An isolated world for each Playwright test: `test("…", async ({ page, forge }) => …)`.
import { test as base } from "@playwright/test";
import { sharedServers } from "./shared.js";

export const test = base.extend({
  forgeOptions: [{}, { option: true }],
  forgeServers: [sharedServers, { scope: "worker" }],
  forge: async ({ forgeOptions, forgeServers }, use) => {
    const world = await forgeServers.world(forgeOptions);
    await use(world);
    await world.delete();
  },
});

export { expect } from "@playwright/test";
