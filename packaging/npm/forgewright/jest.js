// A world of its own for each test of Jest, or of another runner with the same hooks.
import { SharedServers } from "./shared.js";

/** Makes a world before each test and deletes it afterwards. Returns a function that gives it. */
export function useForge(options) {
  const servers = new SharedServers();
  let world;
  globalThis.beforeEach(async () => {
    world = await servers.world(options);
  });
  globalThis.afterEach(async () => {
    await world?.delete();
    world = undefined;
  });
  globalThis.afterAll(() => servers.stop());
  return () => world;
}
