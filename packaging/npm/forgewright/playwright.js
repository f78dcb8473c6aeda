// A world of its own for each test of Playwright: `test("…", async ({ page, forge }) => …)`.
import { test as base } from "@playwright/test";
import { SharedServers } from "./shared.js";

export const test = base.extend({
  forgeOptions: [{}, { option: true }],
  forgeServers: [
    // Playwright reads the names of the fixtures that one needs from its pattern.
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const servers = new SharedServers();
      await use(servers);
      await servers.stop();
    },
    { scope: "worker" },
  ],
  forge: async ({ forgeOptions, forgeServers }, use) => {
    const world = await forgeServers.world(forgeOptions);
    await use(world);
    await world.delete();
  },
});

export { expect } from "@playwright/test";
