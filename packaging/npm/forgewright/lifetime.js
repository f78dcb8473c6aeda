// Detects when this process or its parent exits. A parent that is killed cannot notify its children.
import { readFileSync } from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import { runInThisContext } from "node:vm";

/** The polling interval, in milliseconds. */
const INTERVAL = 500;

// The real `process`. Jest replaces the global with a copy whose `ppid` does not change and that has no events.
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

const exitCallbacks = new Set();

function runExitCallbacks() {
  for (const callback of exitCallbacks) callback();
}

/** Calls `callback` when this process exits, unless a signal kills it. Returns a function that cancels that. */
export function whenExiting(callback) {
  // One listener for all servers, because Node warns about more than ten.
  if (exitCallbacks.size === 0) realProcess.once("exit", runExitCallbacks);
  exitCallbacks.add(callback);
  return () => {
    exitCallbacks.delete(callback);
    if (exitCallbacks.size === 0) realProcess.off("exit", runExitCallbacks);
  };
}
