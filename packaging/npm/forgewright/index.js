// Starts servers, each with a world and a folder of its own, and ends them with this process.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { checkBinary, findBinary, version } from "./binary.js";
import { ForgewrightError, explained } from "./errors.js";

export { ForgewrightError, version };

/** How much of the log is kept, for errors. */
const LOG_LIMIT = 64 * 1024;

/** A server that runs. */
class Forge {
  #child;
  #ended;
  #folder;

  constructor(child, ended, folder, announced) {
    this.#child = child;
    this.#ended = ended;
    this.#folder = folder;
    this.url = announced.url;
    this.tokens = announced.tokens;
    this.apps = announced.apps;
  }

  /** The value of a token of this holder. */
  token(holder) {
    const found = this.tokens.find((token) => token.holder === holder);
    if (found) return found.value;
    const known = [...new Set(this.tokens.map((token) => token.holder))].join(", ");
    throw new ForgewrightError(`no token of the world belongs to ${holder}; there are tokens of ${known || "nobody"}`);
  }

  /** Ends the server and removes its folder. */
  async stop() {
    keep(this.#child, "ref");
    this.#child.stdin.destroy();
    this.#child.kill("SIGTERM");
    await this.#ended;
    await rm(this.#folder, { recursive: true, force: true });
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

async function launch(binary, folder, options) {
  const flags = ["serve", "--announce", "--exit-with-stdin", "--data-dir", join(folder, "data")];
  flags.push("--listen", options.listen ?? "127.0.0.1:0");
  const world = await worldFile(options.world, folder);
  if (world) flags.push("--world", world);
  const child = spawn(binary, [...flags, ...(options.args ?? [])], {
    // When this process ends, however that happens, the pipe closes and the server ends too.
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR ?? tmpdir(), ...options.env },
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log = (log + text).slice(-LOG_LIMIT);
  });
  child.stdin.on("error", () => {});
  const announced = await announcement(child, ended, options.timeout ?? 30_000).catch((error) => {
    child.kill("SIGKILL");
    throw error ?? explained(log, binary);
  });
  // A server that is forgotten does not keep the process from ending.
  keep(child, "unref");
  return new Forge(child, ended, folder, announced);
}

/** Whether this process waits for the child: `ref` or `unref`. */
function keep(child, how) {
  for (const handle of [child, ...child.stdio]) handle[how]();
}

/** A world is a file, or an object that is written into one: JSON is YAML. */
async function worldFile(world, folder) {
  if (world === undefined || typeof world === "string") return world;
  const path = join(folder, "world.yaml");
  await writeFile(path, JSON.stringify(world, null, 2));
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
    child.once("error", (error) => settle(reject, explained(error.message, child.spawnfile)));
    ended.then(() => settle(reject, undefined));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("{")) settle(resolve, JSON.parse(line));
    });
  });
}
