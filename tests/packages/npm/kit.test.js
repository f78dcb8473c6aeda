// The npm package, installed outside the source tree.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Octokit } from "@octokit/rest";
import { ForgewrightError, start, version } from "forgewright";

const WORLD = {
  users: [{ login: "alice" }, { login: "bob" }],
  organizations: [{ login: "acme", members: [{ login: "alice", role: "admin" }] }],
  apps: [{ slug: "helper", name: "Helper", owner: "acme" }],
  tokens: [
    { kind: "classic", user: "alice", scopes: ["repo", "admin:org"], value: "alice-of-the-kit" },
    { kind: "classic", user: "bob", scopes: ["repo"] },
  ],
};

const folder = () => mkdtempSync(join(tmpdir(), "forgewright-kit-"));
const children = (pid = process.pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);

/** Expects that a start fails with a message and leaves no process and no file behind. */
async function refused(options, message) {
  const parent = folder();
  await assert.rejects(start({ folder: parent, ...options }), (error) => {
    assert(error instanceof ForgewrightError, error.stack);
    assert.match(error.message, message);
    return true;
  });
  assert.deepEqual([children(), readdirSync(parent)], [[], []]);
}

async function keepsRunning(pid) {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return false;
    }
    await sleep(50);
  }
  return true;
}

test("a demo world is served until it is stopped", async () => {
  const parent = folder();
  const forge = await start({ folder: parent });
  const octokit = new Octokit({ baseUrl: forge.url, auth: forge.token("alice") });
  const { data } = await octokit.repos.get({ owner: "acme", repo: "gadgets" });
  assert.equal(data.url, `${forge.url}/repos/acme/gadgets`);
  assert.equal(forge.apps.length, 1);
  assert(existsSync(forge.apps[0].private_key_file));
  await forge.stop();
  await assert.rejects(fetch(forge.url));
  assert(!existsSync(forge.apps[0].private_key_file), "the folder of the server still exists");
});

test("a world can be an object, and two servers share nothing", async () => {
  const [one, two] = await Promise.all([start({ world: WORLD }), start({ world: WORLD })]);
  assert.equal(one.token("alice"), "alice-of-the-kit");
  assert.notEqual(one.token("bob"), two.token("bob"));
  const octokit = new Octokit({ baseUrl: one.url, auth: one.token("bob") });
  const { data } = await octokit.users.getAuthenticated();
  assert.equal(data.login, "bob");
  assert.equal(one.apps[0].slug, "helper");
  assert.throws(() => one.token("carol"), /it has tokens of: alice, bob/);
  await Promise.all([one.stop(), two.stop()]);
});

test("a failed start says what to do and leaves nothing behind", async () => {
  await refused({ world: { users: [{ logn: "alice" }] } }, /logn/);
  await refused({ world: "missing.yaml" }, /missing\.yaml/);
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  await refused({ listen: `127.0.0.1:${taken.address().port}` }, /choose another address with --listen/);
  taken.close();
  await refused({ folder: "/proc/nowhere" }, /choose another parent with `folder`/);
  const file = join(folder(), "file");
  writeFileSync(file, "");
  await refused({ args: ["--tls-cert", file, "--tls-key", file] }, /no certificate in PEM/);
  await refused({ folder: "/proc" }, /choose another parent with `folder`/);
  await refused({ binary: "/nowhere/forgewright" }, /no binary at .*correct the option `binary`/);
  await refused({ binary: script("exit", "/lib/ld-missing.so") }, /another processor or needs glibc/);
  await refused({ binary: foreignBinary() }, /another processor or needs glibc/);
  await refused({ binary: script("echo forgewright 0.0.1") }, /has version 0\.0\.1, but this package has/);
  const glibc = "echo \"forgewright: /lib/libc.so.6: version \\`GLIBC_2.99' not found\" >&2; exit 1";
  await refused({ binary: script(glibc) }, /needs a newer glibc/);
  const silent = script(`[ "$1" = --version ] && echo forgewright ${version} || exec sleep 60`);
  await refused({ binary: silent, timeout: 500 }, /did not start within 500 ms/);
});

/** The ELF header of a program for a nonexistent processor. */
function foreignBinary() {
  const path = join(folder(), "forgewright");
  const header = Buffer.alloc(64);
  header.write("\x7fELF\x02\x01\x01", "latin1");
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(0xfffe, 18);
  writeFileSync(path, header);
  chmodSync(path, 0o755);
  return path;
}

test("the error for an unsupported platform says what to do", async () => {
  const source = `
    Object.defineProperty(process, "arch", { value: "riscv64" });
    const { start } = await import("forgewright");
    await start().catch((error) => console.log(error.name, error.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", source]);
  assert.match(stdout, /^ForgewrightError there is no binary for this platform: .*riscv64-gnu.*FORGEWRIGHT_BINARY/);
});

/** A script. With a missing interpreter it fails with the same error as a binary without its loader. */
function script(text, interpreter = "/bin/sh") {
  const path = join(folder(), "forgewright");
  writeFileSync(path, `#!${interpreter}\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("a server exits when its runner is killed or exits, and does not keep the runner alive", async () => {
  const source = `
    import { start } from "forgewright";
    const forge = await start({ folder: process.argv[3] });
    const { readFileSync } = await import("node:fs");
    console.log(readFileSync(\`/proc/self/task/\${process.pid}/children\`, "utf8").trim().split(" ").at(-1));
    if (process.argv[2] === "wait") setInterval(() => {}, 1000);
    if (process.argv[2] === "throw") throw new Error("as expected");
    if (process.argv[2] === "exit") process.exit(3);
  `;
  mkdirSync("runners", { recursive: true });
  writeFileSync("runners/runner.mjs", source);
  for (const [how, code] of [["wait", null], ["end", 0], ["throw", 1], ["exit", 3]]) {
    const parent = folder();
    const runner = spawn(process.execPath, ["runners/runner.mjs", how, parent], { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = await once(runner.stdout, "data");
    const exited = once(runner, "exit");
    if (how === "wait") runner.kill("SIGKILL");
    assert.equal((await exited)[0], code);
    assert.equal(await keepsRunning(Number(line)), false, `the server outlives a runner (${how})`);
    if (how !== "wait") assert.deepEqual(readdirSync(parent), [], `the folder outlives a runner (${how})`);
  }
});

test("a server started from the command line exits exactly when its wrapper does", async () => {
  const flags = ["--announce", "--listen", "127.0.0.1:0"];
  for (const [words, signal] of [[["serve", ...flags], "SIGKILL"], [flags, "SIGTERM"], [flags, "SIGINT"]]) {
    const command = ["node_modules/forgewright/bin/forgewright.js", ...words, "--data-dir", folder()];
    const wrapper = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(wrapper, "exit");
    const [line] = await once(wrapper.stdout, "data");
    const [server] = children(wrapper.pid);
    assert.equal((await fetch(`${JSON.parse(line).url}/meta`)).status, 200);
    wrapper.kill(signal);
    await exited;
    assert.equal(await keepsRunning(Number(server)), false, `the server outlives its wrapper (${signal})`);
  }
});

test("the command line wrapper forwards standard input and the exit code", async () => {
  const command = "node_modules/forgewright/bin/forgewright.js";
  const served = spawn(process.execPath, [command, "serve", "--announce", "--exit-with-stdin", "--listen", "127.0.0.1:0", "--data-dir", folder()]);
  await once(served.stdout, "data");
  served.stdin.end();
  assert.deepEqual(await once(served, "exit"), [0, null]);
  const wrong = spawn(process.execPath, [command, "no-such-command"], { stdio: "ignore" });
  assert.deepEqual(await once(wrong, "exit"), [2, null]);
});
