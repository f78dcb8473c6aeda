// A global setup for Vitest, Jest and Playwright: one server for all processes of the test run. Its
// world is the file at FORGEWRIGHT_WORLD, or the demo world.
import { start } from "./index.js";

export default async function setup() {
  const forge = await start({ world: process.env.FORGEWRIGHT_WORLD || undefined });
  // The worker processes inherit it.
  process.env.FORGEWRIGHT_SERVER = forge.url;
  // Jest does not call it: there, the server stops when this process exits.
  return async () => {
    delete process.env.FORGEWRIGHT_SERVER;
    await forge.stop();
  };
}
