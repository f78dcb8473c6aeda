// A world of its own for each test of Vitest: `test("…", ({ forge }) => …)`.
import { test as base } from "vitest";
import { SharedServers } from "./shared.js";

/** A `test` whose context has a new world, on a server that the tests of a file share. */
export function testWith(options) {
  return base.extend({
    forgeServers: [
      // Vitest reads the names of the fixtures that one needs from its pattern.
      // eslint-disable-next-line no-empty-pattern
      async ({}, use) => {
        const servers = new SharedServers();
        await use(servers);
        await servers.stop();
      },
      { scope: "file" },
    ],
    forge: async ({ forgeServers }, use) => {
      const world = await forgeServers.world(options);
      await use(world);
      await world.delete();
    },
  });
}

export const test = testWith();
