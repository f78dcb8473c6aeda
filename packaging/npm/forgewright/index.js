// Starts servers, makes worlds on them, and ends them with this process.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { checkBinary, findBinary, version } from "./binary.js";
import { Control } from "./control.js";
import { ForgewrightError, lastWords, unusable } from "./errors.js";
import { whenOrphaned } from "./parent.js";
import { World, isText, makeWorld, withValues } from "./world.js";

export { ForgewrightError, World, version };

/** How much of the log is kept, for errors. */
const LOG_LIMIT = 64 * 1024;

/** A server that runs: its world `main`, and how to make others. */
class Forge extends World {
  #control;
  #end;

  constructor(control, main, end) {
    super(control, { name: "main", ...main });
    this.#control = control;
    this.#end = end;
    this.authority = main.authority ?? null;
  }

  /** Makes a world that shares nothing with others. */
  world(options) {
    return makeWorld(this.#control, this.apps, options);
  }

  /** The names and addresses of all worlds. */
  worlds() {
    return this.#control.request("GET", "");
  }

  /** Ends the server and removes its folder. */
  async stop() {
    this.#control.close();
    await this.#end();
  }

  /** The world of a server ends with it. */
  async delete() {
    throw new ForgewrightError("main is the world of the server, and ends with it: call stop() instead of delete()");
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }
}

/** Starts a server on a free port. */
export async function start(options = {}) {
  const binary = checkBinary(options.binary ?? findBinary());
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), "forgewright-")).catch((error) => {
    throw new ForgewrightError(`cannot make a folder for the server: ${error.message}; name another in \`folder\``);
  });
  try {
    return await launch(binary, folder, options);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Uses a server that runs already, with the control API. `stop` leaves it running. */
export async function connect(url, { token = process.env.FORGEWRIGHT_CONTROL_TOKEN, authority } = {}) {
  const origin = new URL(url).origin;
  const control = new Control(origin, { token, authority });
  try {
    const { tokens, apps } = await control.request("GET", "/main/contents", { query: { per_page: 100 } });
    const keys = apps.map(({ private_key, ...app }) => ({ ...app, private_key_file: null, private_key: private_key ?? null }));
    return new Forge(control, { url: origin, tokens: withValues(tokens), apps: keys, authority }, async () => {});
  } catch (error) {
    control.close();
    throw error;
  }
}

async function launch(binary, folder, options) {
  const flags = ["serve", "--announce", "--exit-with-stdin", "--data-dir", join(folder, "data")];
  const listen = options.listen ?? "127.0.0.1:0";
  flags.push("--listen", listen);
  const world = await worldFile(options.world, folder);
  if (world) flags.push("--world", world);
  const env = environment(listen, options.env);
  // When this process ends, however that happens, the pipe closes and the server ends too.
  const child = spawn(binary, [...flags, ...(options.args ?? [])], { stdio: ["pipe", "pipe", "pipe"], env });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log = (log + text).slice(-LOG_LIMIT);
  });
  child.stdin.on("error", () => {});
  const announced = await announcement(child, ended, options.timeout ?? 30_000).catch(async (error) => {
    child.kill("SIGKILL");
    if (child.pid) await ended;
    throw error ?? lastWords(log);
  });
  // A server that is forgotten does not keep the process from ending.
  keep(child, "unref");
  const apps = announced.apps.map((app) => ({ ...app, private_key: keyIn(app.private_key_file) }));
  // A server that listens everywhere is reached at loopback.
  const url = announced.url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  const control = new Control(url, { authority: announced.authority, token: env.FORGEWRIGHT_CONTROL_TOKEN });
  const end = async () => {
    forget();
    keep(child, "ref");
    child.stdin.destroy();
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  // The processes of a runner outlive it when it is killed in the middle of a test.
  const forget = process.connected ? whenOrphaned(end) : () => {};
  return new Forge(control, { ...announced, url, apps }, end);
}

/** The variables of the server: with the control API, and a token for it if others reach it. */
function environment(listen, given) {
  const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR ?? tmpdir(), FORGEWRIGHT_CONTROL: "on", ...given };
  if (!/^(127\.|\[::1\]|localhost)/.test(listen)) env.FORGEWRIGHT_CONTROL_TOKEN ??= randomBytes(20).toString("hex");
  return env;
}

function keyIn(file) {
  return file ? readFileSync(file, "utf8") : null;
}

/** Whether this process waits for the child: `ref` or `unref`. */
function keep(child, how) {
  for (const handle of [child, ...child.stdio]) handle[how]();
}

/** A world is a file, or its text or an object, which is written into one: JSON is YAML. */
async function worldFile(world, folder) {
  if (world === undefined || (typeof world === "string" && !isText(world))) return world;
  const path = join(folder, "world.yaml");
  await writeFile(path, typeof world === "string" ? world : JSON.stringify(world, null, 2));
  return path;
}

/** Waits for the line of JSON by which the server says that it listens. */
function announcement(child, ended, timeout) {
  return new Promise((resolve, reject) => {
    const late = new ForgewrightError(`the server did not start within ${timeout} ms`);
    const timer = setTimeout(() => reject(late), timeout);
    const settle = (settled, value) => {
      clearTimeout(timer);
      settled(value);
    };
    child.once("error", (error) => settle(reject, unusable(error.message, child.spawnfile)));
    ended.then(() => settle(reject, undefined));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("{")) settle(resolve, JSON.parse(line));
    });
  });
}
