// Detects when the parent process has exited. A parent that is killed cannot notify its children.
import { readFileSync } from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import { runInThisContext } from "node:vm";

/** The polling interval, in milliseconds. */
const INTERVAL = 500;

// The real `process`. Jest replaces the global with a copy whose `ppid` does not change.
const realProcess = runInThisContext("process");

/** Returns the parent of a process, or undefined on a system without /proc. */
function parentOf(pid) {
  try {
    return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** Calls `callback` once, when the parent of this process changes. With `throughShell`, also when the
 * parent of the parent changes, for a process that was started through a shell. Returns a function
 * that stops watching. */
export function whenOrphaned(callback, { throughShell = false } = {}) {
  const parents = () => [realProcess.ppid, throughShell && parentOf(realProcess.ppid)].join();
  const before = parents();
  const timer = setInterval(() => {
    if (parents() === before) return;
    clearInterval(timer);
    callback();
  }, INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}
