// No server outlives a test runner that is killed in the middle of a test, or a killed npx.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a server may take to start, or to exit, in milliseconds. */
const TIMEOUT = 60_000;

const MODULES = resolve("node_modules");

/** Signals its start and never ends. */
const STUCK = `
  import { writeFileSync } from "node:fs";
  export async function stuck(world) {
    writeFileSync("started", world.url);
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  }`;

const FIXTURE = (from) => `
  import { test } from "${from}";
  import { stuck } from "./stuck.js";
  test("never ends", async ({ forge }) => stuck(forge));`;

const WITH_JEST = `
  import { useForge } from "forgewright/jest";
  import { stuck } from "./stuck.js";
  const forge = useForge();
  test("never ends", async () => stuck(forge()), 3_600_000);`;

/** The test file and the command of a run that never ends by itself, for each runner. */
const RUNNERS = {
  "Vitest with processes": [FIXTURE("forgewright/vitest"), "vitest/vitest.mjs", "run", "--pool=forks", "--testTimeout=3600000"],
  "Vitest with threads": [FIXTURE("forgewright/vitest"), "vitest/vitest.mjs", "run", "--pool=threads", "--testTimeout=3600000"],
  // With a single worker, Jest would run the test in its own process.
  Jest: [WITH_JEST, "jest/bin/jest.js", "--config={\"transform\":{}}", "--workerThreads=false", "--maxWorkers=2", "--testTimeout=60000"],
  Playwright: [FIXTURE("forgewright/playwright"), "@playwright/test/cli.js", "test", "--timeout=0"],
};

/** Waits until a condition is true. */
async function until(condition, message) {
  const end = performance.now() + TIMEOUT;
  while (!condition()) {
    assert(performance.now() < end, message);
    await sleep(50);
  }
}

function alive(pid) {
  try {
    // A zombie process counts as dead.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const readIfThere = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
};

/** Kills a runner once it has servers, and checks that they exit. */
async function killRunner(command, options, servers) {
  const runner = spawn(command[0], command.slice(1), { stdio: ["ignore", "pipe", "pipe"], ...options });
  let output = "";
  for (const stream of [runner.stdout, runner.stderr]) stream.on("data", (text) => (output += text));
  let found = [];
  await until(() => (found = servers(runner)).length > 0 || runner.exitCode !== null, `no server: ${output}`);
  assert(found.length > 0 && found.every(alive), `no server: ${output}`);
  const others = descendants(runner.pid);
  process.kill(runner.pid, "SIGKILL");
  try {
    await until(() => !found.some(alive), `the servers ${found} outlive the runner: ${output}`);
  } finally {
    // The runner's worker processes are stuck in the test.
    for (const pid of others.filter(alive)) process.kill(pid, "SIGKILL");
  }
}

for (const [name, [source, script, ...words]] of Object.entries(RUNNERS)) {
  test(`a server exits when ${name} is killed`, async () => {
    mkdirSync("stuck", { recursive: true });
    const cwd = mkdtempSync("stuck/run-");
    writeFileSync(join(cwd, "package.json"), '{"type": "module"}');
    writeFileSync(join(cwd, "stuck.js"), STUCK);
    const files = name === "Jest" ? ["one.test.js", "two.test.js"] : ["one.test.js"];
    for (const file of files) writeFileSync(join(cwd, file), source);
    const env = { ...process.env, NODE_OPTIONS: name === "Jest" ? "--experimental-vm-modules" : "" };
    const isServer = (pid) => readIfThere(`/proc/${pid}/comm`)?.trim() === "forgewright";
    const servers = ({ pid }) => (existsSync(join(cwd, "started")) ? descendants(pid).filter(isServer) : []);
    await killRunner([process.execPath, join(MODULES, script), ...words], { cwd, env }, servers);
  });
}

test("a server exits when npx is killed", async () => {
  const data = mkdtempSync(join(tmpdir(), "forgewright-npx-"));
  const announced = join(data, "announced");
  const command = `exec npx --no-install forgewright serve --announce --listen 127.0.0.1:0 --data-dir ${data}/data > ${announced}`;
  const listens = () => readIfThere(announced)?.includes("{");
  await killRunner(["sh", "-c", command], {}, (runner) => (listens() ? descendants(runner.pid) : []));
});

/** All descendants of a process, including those that its threads started. */
function descendants(pid) {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  const children = threads.map((thread) => readIfThere(`/proc/${pid}/task/${thread}/children`) ?? "");
  const found = children.join(" ").split(/\s+/).filter(Boolean);
  return found.flatMap((child) => [child, ...descendants(child)]);
}
