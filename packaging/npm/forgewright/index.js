// Starts servers, creates worlds on them, and stops the servers when this process exits.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { checkBinary, findBinary, version } from "./binary.js";
import { ControlClient } from "./control.js";
import { ForgewrightError, checkKeys, startError, unusableBinary } from "./errors.js";
import { whenExiting, whenOrphaned } from "./lifetime.js";
import { World, createWorld, isText, usableTokens } from "./world.js";

export { ForgewrightError, World, version };

/** The length of the end of the log that is kept for error messages, in characters. */
const LOG_LIMIT = 64 * 1024;

/** The maximum of `per_page` in a request to the control API. */
const MAX_PER_PAGE = 100;

const START_OPTIONS = ["world", "args", "env", "listen", "folder", "binary", "timeout"];

/** A running server and its world `main`. */
class Forge extends World {
  #control;
  #stop;

  constructor(control, main, stop) {
    super(control, { name: "main", ...main });
    this.#control = control;
    this.#stop = stop;
    this.authority = main.authority ?? null;
  }

  /** Creates an isolated world. */
  world(options) {
    return createWorld(this.#control, this.apps, options);
  }

  /** Returns all worlds of the server. */
  worlds() {
    return this.#control.request("GET", "");
  }

  /** Stops the server and removes its folder. */
  async stop() {
    this.#control.close();
    await this.#stop();
  }

  /** Always throws: the world `main` cannot be deleted. */
  async delete() {
    throw new ForgewrightError("the world `main` cannot be deleted; call stop() to stop the server");
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }
}

/** Starts a server and waits until it listens. */
export async function start(options = {}) {
  checkKeys(options, "option of start", START_OPTIONS);
  const binary = checkBinary(options.binary ?? findBinary());
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), "forgewright-")).catch((error) => {
    throw new ForgewrightError(`cannot create a folder for the server: ${error.message}; choose another parent with \`folder\``);
  });
  try {
    return await launch(binary, folder, options);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Connects to a running server through its control API. `stop` does not stop the server. */
export async function connect(url, options = {}) {
  checkKeys(options, "option of connect", ["token", "authority"]);
  const { token = process.env.FORGEWRIGHT_CONTROL_TOKEN, authority } = options;
  const origin = new URL(url).origin;
  const control = new ControlClient(origin, { token, authority });
  try {
    const { tokens, apps } = await credentials(control);
    const keys = apps.map(({ private_key, ...app }) => ({ ...app, private_key_file: null, private_key: private_key ?? null }));
    return new Forge(control, { url: origin, tokens: usableTokens(tokens), apps: keys, authority }, async () => {});
  } catch (error) {
    control.close();
    throw error;
  }
}

/** Returns all tokens and apps of the world `main`. */
async function credentials(control) {
  const all = { tokens: [], apps: [] };
  for (let page = 1; ; page += 1) {
    const { tokens, apps } = await control.request("GET", "/main/contents", { query: { per_page: MAX_PER_PAGE, page } });
    all.tokens.push(...tokens);
    all.apps.push(...apps);
    if (tokens.length < MAX_PER_PAGE && apps.length < MAX_PER_PAGE) return all;
  }
}

async function launch(binary, folder, options) {
  const flags = ["serve", "--announce", "--exit-with-stdin", "--data-dir", join(folder, "data")];
  const listen = options.listen ?? "127.0.0.1:0";
  flags.push("--listen", listen);
  const world = await worldFile(options.world, folder);
  if (world) flags.push("--world", world);
  const env = environment(listen, options.env);
  // The server exits when this pipe closes, which happens even if this process is killed.
  const child = spawn(binary, [...flags, ...(options.args ?? [])], { stdio: ["pipe", "pipe", "pipe"], env });
  const exited = new Promise((resolve) => child.once("close", resolve));
  const cancelExit = whenExiting(() => {
    child.kill("SIGKILL");
    removeNow(folder);
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log = (log + text).slice(-LOG_LIMIT);
  });
  child.stdin.on("error", () => {});
  const announced = await announcement(child, exited, options.timeout ?? 30_000).catch(async (error) => {
    child.kill("SIGKILL");
    if (child.pid) await exited;
    cancelExit();
    throw error ?? startError(log);
  });
  // A server that nobody stops must not keep this process alive.
  setReference(child, "unref");
  const apps = announced.apps.map((app) => ({ ...app, private_key: readKey(app.private_key_file) }));
  // A server that listens on all addresses is reached through loopback.
  const url = announced.url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  const control = new ControlClient(url, { authority: announced.authority, token: env.FORGEWRIGHT_CONTROL_TOKEN });
  const stop = async () => {
    stopWatching();
    setReference(child, "ref");
    child.stdin.destroy();
    child.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
    cancelExit();
  };
  // The worker processes of a test runner outlive a runner that is killed during a test.
  const stopWatching = process.connected ? whenOrphaned(stop) : () => {};
  return new Forge(control, { ...announced, url, apps }, stop);
}

/** Removes the folder of a killed server, which may still be writing for a moment. Never throws: an error would
 * change the exit code of this process. */
function removeNow(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 10 });
  } catch {
    // The folder is temporary.
  }
}

/** Returns the variables of the server. They enable the control API, with a token unless on loopback. */
function environment(listen, given) {
  const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR ?? tmpdir(), FORGEWRIGHT_CONTROL: "on", ...given };
  if (!/^(127\.|\[::1\]|localhost)/.test(listen)) env.FORGEWRIGHT_CONTROL_TOKEN ??= randomBytes(20).toString("hex");
  return env;
}

function readKey(file) {
  return file ? readFileSync(file, "utf8") : null;
}

/** Sets whether the child keeps this process alive: `ref` or `unref`. */
function setReference(child, method) {
  for (const handle of [child, ...child.stdio]) handle[method]();
}

/** Returns the path of the world file. Writes a text or an object to a file; JSON is valid YAML. */
async function worldFile(world, folder) {
  if (world === undefined || (typeof world === "string" && !isText(world))) return world;
  const path = join(folder, "world.yaml");
  await writeFile(path, typeof world === "string" ? world : JSON.stringify(world, null, 2));
  return path;
}

/** Waits for the line of JSON that the server prints when it listens. */
function announcement(child, exited, timeout) {
  return new Promise((resolve, reject) => {
    const timedOut = new ForgewrightError(`the server did not start within ${timeout} ms`);
    const timer = setTimeout(() => reject(timedOut), timeout);
    const settle = (resolveOrReject, value) => {
      clearTimeout(timer);
      resolveOrReject(value);
    };
    child.once("error", (error) => settle(reject, unusableBinary(error.message, child.spawnfile)));
    exited.then(() => settle(reject, undefined));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("{")) settle(resolve, JSON.parse(line));
    });
  });
}
