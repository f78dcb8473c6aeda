import type { StartOptions, World } from "./index.js";

/** Makes a world before each test and deletes it afterwards. Returns a function that gives it. */
export function useForge(options?: StartOptions): () => World;
