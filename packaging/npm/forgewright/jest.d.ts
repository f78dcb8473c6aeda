import type { Forge, StartOptions } from "./index.js";

/** Starts a server before each test and stops it afterwards. Returns a function that gives it. */
export function useForge(options?: StartOptions): () => Forge;
