// Runners that are killed in the middle of a test, and npx: no server outlives them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a server may take to notice. */
const PATIENCE = 15_000;

const MODULES = resolve("node_modules");

/** Says that it has begun, and never ends. */
const STUCK = `
  import { writeFileSync } from "node:fs";
  export async function stuck(world) {
    writeFileSync("begun", world.url);
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

/** Each with the files and the command of a run that never ends by itself. */
const RUNNERS = {
  "Vitest with processes": [FIXTURE("forgewright/vitest"), "vitest/vitest.mjs", "run", "--pool=forks", "--testTimeout=3600000"],
  "Vitest with threads": [FIXTURE("forgewright/vitest"), "vitest/vitest.mjs", "run", "--pool=threads", "--testTimeout=3600000"],
  // Two workers, because one alone is the runner itself.
  Jest: [WITH_JEST, "jest/bin/jest.js", "--config={\"transform\":{}}", "--workerThreads=false", "--maxWorkers=2"],
  Playwright: [FIXTURE("forgewright/playwright"), "@playwright/test/cli.js", "test", "--timeout=0"],
};

/** Waits until something is true. */
async function until(holds, what) {
  const end = performance.now() + PATIENCE;
  while (!holds()) {
    assert(performance.now() < end, what);
    await sleep(50);
  }
}

function alive(pid) {
  try {
    // A process that has ended and is not yet waited for is there, but does nothing.
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

/** Kills a runner once it has servers, which must end. */
async function killed(command, options, servers) {
  const runner = spawn(command[0], command.slice(1), { stdio: ["ignore", "pipe", "pipe"], ...options });
  let said = "";
  for (const stream of [runner.stdout, runner.stderr]) stream.on("data", (text) => (said += text));
  let found = [];
  await until(() => (found = servers(runner)).length > 0 || runner.exitCode !== null, `no server: ${said}`);
  assert(found.length > 0 && found.every(alive), `no server: ${said}`);
  const others = below(runner.pid);
  process.kill(runner.pid, "SIGKILL");
  try {
    await until(() => !found.some(alive), `the servers ${found} outlive it: ${said}`);
  } finally {
    // The runner's own processes are stuck in its test.
    for (const pid of others.filter(alive)) process.kill(pid, "SIGKILL");
  }
}

for (const [name, [source, script, ...words]] of Object.entries(RUNNERS)) {
  test(`a server ends when ${name} is killed`, async () => {
    mkdirSync("stuck", { recursive: true });
    const cwd = mkdtempSync("stuck/run-");
    writeFileSync(join(cwd, "package.json"), '{"type": "module"}');
    writeFileSync(join(cwd, "stuck.js"), STUCK);
    const files = name === "Jest" ? ["one.test.js", "two.test.js"] : ["one.test.js"];
    for (const file of files) writeFileSync(join(cwd, file), source);
    const env = { ...process.env, NODE_OPTIONS: name === "Jest" ? "--experimental-vm-modules" : "" };
    const isServer = (pid) => readIfThere(`/proc/${pid}/comm`)?.trim() === "forgewright";
    const servers = ({ pid }) => (existsSync(join(cwd, "begun")) ? below(pid).filter(isServer) : []);
    await killed([process.execPath, join(MODULES, script), ...words], { cwd, env }, servers);
  });
}

test("a server ends when npx is killed", async () => {
  const data = mkdtempSync(join(tmpdir(), "forgewright-npx-"));
  const announced = join(data, "announced");
  const command = `exec npx --no-install forgewright serve --announce --listen 127.0.0.1:0 --data-dir ${data}/data > ${announced}`;
  const listens = () => readIfThere(announced)?.includes("{");
  await killed(["sh", "-c", command], {}, (runner) => (listens() ? below(runner.pid) : []));
});

/** All processes below one, whichever of its threads has started them. */
function below(pid) {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  const children = threads.map((thread) => readIfThere(`/proc/${pid}/task/${thread}/children`) ?? "");
  const found = children.join(" ").split(/\s+/).filter(Boolean);
  return found.flatMap((child) => [child, ...below(child)]);
}
