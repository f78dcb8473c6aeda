import type { PlaywrightTestArgs, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions, TestType } from "@playwright/test";
import type { StartOptions, World } from "./index.js";

/** A `test` with a world for each test; `test.use({ forgeOptions })` chooses what it is like. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { forge: World; forgeOptions: StartOptions },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;
export { expect } from "@playwright/test";
