// Uses the console in Chromium like a developer who tests an app: views requests and why
// they were refused, a pull request and deliveries; sets the clock, injects faults, resets.
// At desktop and phone width, light and dark, by mouse and by keyboard.

import assert from "node:assert/strict";
import { browser, consoleErrors, foreignRequests } from "./browser.mjs";
import { step } from "./console/kit.mjs";

try {
  await import("./console/requests.mjs");
  await import("./console/filters.mjs");
  await import("./console/bodies.mjs");
  await import("./console/world.mjs");
  await import("./console/areas.mjs");
  await import("./console/links.mjs");
  await import("./console/tools.mjs");
  await import("./console/live.mjs");
  await import("./console/appearance.mjs");
  await import("./console/origins.mjs");
  await step("the browser console has no errors", () => assert.deepEqual(consoleErrors, []));
  await step("no request goes to another host", () => assert.deepEqual(foreignRequests, []));
} finally {
  await browser.close();
}
