// The servers that tests share: that of `forgewright/setup`, or those that they start.
import { connect, start } from "./index.js";

export class SharedServers {
  #servers = new Map();

  /** Makes a world for a test, on the server for these options. */
  async world(options = {}) {
    const key = JSON.stringify(options);
    if (!this.#servers.has(key)) this.#servers.set(key, serverFor(options));
    const { server, origin } = await this.#servers.get(key);
    return server.world(origin);
  }

  async stop() {
    const started = [...this.#servers.values()];
    this.#servers.clear();
    await Promise.all(started.map(async (starting) => (await starting.catch(() => undefined))?.server.stop()));
  }
}

/** A server, and what a world for a test is made from. */
async function serverFor({ world, ...others }) {
  const running = process.env.FORGEWRIGHT_SERVER;
  if (running && Object.keys(others).length === 0) return { server: await connect(running), origin: { world } };
  return { server: await start({ world, ...others }), origin: {} };
}

/** A fixture of Vitest and of Playwright, which read the names of what it needs from its pattern. */
// eslint-disable-next-line no-empty-pattern
export async function sharedServers({}, use) {
  const servers = new SharedServers();
  await use(servers);
  await servers.stop();
}
