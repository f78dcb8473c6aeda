// A server of its own for each test of Jest, or of another runner with `beforeEach` and `afterEach`.
import { start } from "./index.js";

/** Starts a server before each test and stops it afterwards. Returns a function that gives it. */
export function useForge(options) {
  let forge;
  globalThis.beforeEach(async () => {
    forge = await start(options);
  });
  globalThis.afterEach(async () => {
    await forge?.stop();
  });
  return () => forge;
}
