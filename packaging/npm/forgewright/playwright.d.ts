import type { PlaywrightTestArgs, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions, TestType } from "@playwright/test";
import type { StartOptions, World } from "./index.js";

/**
 * A `test` with the fixture `forge`, an isolated world for each test. The tests of a worker process share a server.
 * `test.use({ forgeOptions })` sets the options of the server.
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { forge: World; forgeOptions: StartOptions },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;
export { expect } from "@playwright/test";
