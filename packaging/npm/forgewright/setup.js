// A global setup for Vitest, Jest and Playwright: one server for all their processes. The world
// is the file that FORGEWRIGHT_WORLD names, or the demo.
import { start } from "./index.js";

export default async function setup() {
  const forge = await start({ world: process.env.FORGEWRIGHT_WORLD || undefined });
  // Processes that start from here on inherit it.
  process.env.FORGEWRIGHT_SERVER = forge.url;
  return async () => {
    delete process.env.FORGEWRIGHT_SERVER;
    await forge.stop();
  };
}
