// A server of its own for each test of Vitest: `test("…", ({ forge }) => …)`.
import { test as base } from "vitest";
import { start } from "./index.js";

/** A `test` whose context has a server with this world. */
export function testWith(options) {
  return base.extend({
    // Vitest reads the names of the fixtures that this one needs from the pattern.
    // eslint-disable-next-line no-empty-pattern
    forge: async ({}, use) => {
      const forge = await start(options);
      await use(forge);
      await forge.stop();
    },
  });
}

export const test = testWith();
