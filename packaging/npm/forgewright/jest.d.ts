import type { StartOptions, World } from "./index.js";

/**
 * Creates an isolated world before each test and deletes it afterwards. Call it at the top level of a test file or in
 * `describe`; the tests there share a server.
 * @param options The options of the server. `world` is the world file of the new worlds.
 * @returns A function that returns the world of the current test.
 */
export function useForge(options?: StartOptions): () => World;
