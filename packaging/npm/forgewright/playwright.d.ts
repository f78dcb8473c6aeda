import type { PlaywrightTestArgs, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions, TestType } from "@playwright/test";
import type { Forge, StartOptions } from "./index.js";

/** A `test` with a server for each test; `test.use({ forgeOptions })` chooses its world. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { forge: Forge; forgeOptions: StartOptions },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;
export { expect } from "@playwright/test";
