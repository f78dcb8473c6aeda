import type { TestAPI } from "vitest";
import type { Forge, StartOptions } from "./index.js";

/** A `test` whose context has a server with this world. */
export function testWith(options?: StartOptions): TestAPI<{ forge: Forge }>;

/** A `test` whose context has a server with the demo world. */
export const test: TestAPI<{ forge: Forge }>;
