// An isolated world for each Vitest test: `test("…", ({ forge }) => …)`.
import { test as base } from "vitest";
import { sharedServers } from "./shared.js";

/** Returns a `test` whose context has a new world, on a server that the tests of a file share. */
export function testWith(options) {
  return base.extend({
    forgeServers: [sharedServers, { scope: "file" }],
    forge: async ({ forgeServers }, use) => {
      const world = await forgeServers.world(options);
      await use(world);
      await world.delete();
    },
  });
}

export const test = testWith();
