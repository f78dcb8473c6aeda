// Notices when the process that started this one is gone: whoever is killed tells nobody.
import { readFileSync } from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import { runInThisContext } from "node:vm";

const INTERVAL = 500;

// Jest gives its tests a copy, in which nothing changes.
const itself = runInThisContext("process");

/** The parent of a process, where the system has files that say it. */
function parentOf(pid) {
  try {
    return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** Calls back once this process has another parent, or that one through which it was started, if it
 * is the child of a shell. Returns what ends the watch. */
export function whenOrphaned(callback, { throughShell = false } = {}) {
  const parents = () => [itself.ppid, throughShell && parentOf(itself.ppid)].join();
  const before = parents();
  const timer = setInterval(() => {
    if (parents() === before) return;
    clearInterval(timer);
    callback();
  }, INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}
