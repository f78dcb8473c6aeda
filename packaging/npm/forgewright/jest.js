// An isolated world for each test, for Jest and other runners with the same hooks.
import { SharedServers } from "./shared.js";

/** Creates a world before each test and deletes it afterwards. Returns a function that returns it. */
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
