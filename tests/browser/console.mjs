// Opens the console in Chromium and does what somebody who tests an app does: looks at what
// was asked and why it was refused, at a pull request, at deliveries; turns the clock, makes
// faults, resets. At desktop and phone width, light and dark, by mouse and by keyboard.

import assert from "node:assert/strict";
import { browser, complaints, elsewhere } from "./browser.mjs";
import { step } from "./console/kit.mjs";

try {
  await import("./console/requests.mjs");
  await import("./console/world.mjs");
  await import("./console/tools.mjs");
  await import("./console/appearance.mjs");
  await step("the console is free of errors", () => assert.deepEqual(complaints, []));
  await step("nothing is asked of another host", () => assert.deepEqual(elsewhere, []));
} finally {
  await browser.close();
}
