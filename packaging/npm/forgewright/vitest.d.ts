import type { TestAPI } from "vitest";
import type { StartOptions, World } from "./index.js";

/**
 * Returns a `test` whose context has `forge`, an isolated world for each test. The tests of a file share a server.
 * @param options The options of the server. `world` is the world file of the new worlds.
 */
export function testWith(options?: StartOptions): TestAPI<{ forge: World }>;

/**
 * A `test` whose context has `forge`, an isolated world for each test: the demo world, or with `forgewright/setup`
 * the world of that server.
 */
export const test: TestAPI<{ forge: World }>;
