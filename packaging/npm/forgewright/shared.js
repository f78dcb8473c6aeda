// The servers that tests share: the one of `forgewright/setup`, or one for each set of options.
import { connect, start } from "./index.js";

export class SharedServers {
  #servers = new Map();

  /** Creates a world for a test, on the server for these options. */
  async world(options = {}) {
    const key = JSON.stringify(options);
    if (!this.#servers.has(key)) this.#servers.set(key, serverFor(options));
    const { server, worldOptions } = await this.#servers.get(key);
    return server.world(worldOptions);
  }

  async stop() {
    const servers = [...this.#servers.values()];
    this.#servers.clear();
    await Promise.all(servers.map(async (promise) => (await promise.catch(() => undefined))?.server.stop()));
  }
}

/** Returns a server, and the options of the worlds for tests on it. */
async function serverFor({ world, ...others }) {
  const running = process.env.FORGEWRIGHT_SERVER;
  if (running && Object.keys(others).length === 0) return { server: await connect(running), worldOptions: { world } };
  return { server: await start({ world, ...others }), worldOptions: {} };
}

/** A fixture for Vitest and Playwright. They derive its dependencies from the parameter pattern. */
// eslint-disable-next-line no-empty-pattern
export async function sharedServers({}, use) {
  const servers = new SharedServers();
  await use(servers);
  await servers.stop();
}
