import type { TestAPI } from "vitest";
import type { StartOptions, World } from "./index.js";

/** A `test` whose context has a new world, on a server that the tests of a file share. */
export function testWith(options?: StartOptions): TestAPI<{ forge: World }>;

/** A `test` whose context has a new demo world, or a copy of that of `forgewright/setup`. */
export const test: TestAPI<{ forge: World }>;
