// A file of a diff: its hunks with line numbers, and each thread below its line.

import { h, put } from "./dom.js";
import { count } from "./format.js";
import { outdated, thread, title } from "./threads.js";

/** The page shows a longer diff only on demand. */
const MAX_LINES = 600;

/**
 * @typedef {{ kind: "hunk" | "same" | "added" | "removed" | "remark", before?: number, after?: number, text: string }} Line
 * @param {string} patch
 * @returns {Line[]}
 */
export function read(patch) {
  let before = 0;
  let after = 0;
  return patch.split("\n").map((line) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      return { kind: "hunk", text: line };
    }
    const text = line.slice(1);
    if (line[0] === "+") return { kind: "added", after: after++, text };
    if (line[0] === "-") return { kind: "removed", before: before++, text };
    if (line[0] === "\\") return { kind: "remark", text: line };
    return { kind: "same", before: before++, after: after++, text };
  });
}

const SIGNS = { added: "+", removed: "−" };
/** Text for screen readers. */
const SPOKEN = { added: "added: ", removed: "removed: " };

function row(line, marked) {
  return h(
    "div",
    { class: `line ${line.kind}${marked ? " marked" : ""}` },
    h("span", {}, line.before ?? ""),
    h("span", {}, line.after ?? ""),
    h("span", { "aria-hidden": "true" }, SIGNS[line.kind] ?? ""),
    h("span", {}, SPOKEN[line.kind] && h("span", { class: "hidden" }, SPOKEN[line.kind]), line.text),
  );
}

/** The lines of a patch without threads. */
export function lines(patch) {
  return h("div", { class: "lines" }, read(patch).map((line) => row(line, false)));
}

/**
 * A file with the threads on it.
 *
 * @param {object} file from `list_pull_files`
 * @param {import("./threads.js").Thread[]} threads
 */
export function fileDiff(file, threads = []) {
  const whole = threads.filter((one) => one.root.subject_type === "file");
  const old = threads.filter((one) => one.outdated);
  const placed = threads.filter((one) => !one.outdated && one.root.subject_type !== "file");
  const comments = threads.reduce((sum, one) => sum + one.comments.length, 0);
  const block = h(
    "section",
    { class: "diff", "aria-label": file.filename },
    h(
      "div",
      { class: "head" },
      h("span", { class: "name" }, renamed(file)),
      h("span", { class: "soft" }, changedLines(file), comments > 0 && ` · ${count(comments, "comment")}`),
    ),
    whole.map((one) => thread(one, "whole")),
    old.map((one) => outdated(one, lines)),
  );
  block.append(content(file, placed));
  return block;
}

/** `+3 −1`: how many lines were added and removed. */
export function changedLines({ additions, deletions }) {
  return [h("span", { class: "good" }, `+${additions}`), " ", h("span", { class: "bad" }, `−${deletions}`)];
}

function renamed(file) {
  const was = file.previous_filename ? `${file.previous_filename} → ` : "";
  const status = ["modified", "renamed"].includes(file.status) ? "" : ` (${file.status})`;
  return `${was}${file.filename}${status}`;
}

function content(file, threads) {
  if (!file.patch) {
    const note = file.changes ? "Binary file, or a diff too large to show." : "No content changes.";
    return h("div", {}, h("p", { class: "note" }, note), threads.map((one) => thread(one, "whole")));
  }
  const parsed = read(file.patch);
  const area = h("div", { class: "lines" });
  if (parsed.length <= MAX_LINES) {
    put(area, linesWithThreads(parsed, threads));
    return area;
  }
  const show = () => put(area, linesWithThreads(parsed, threads));
  put(area, h("p", { class: "note" }, h("button", { type: "button", onclick: show }, `Show ${parsed.length.toLocaleString("en")} lines`)));
  return area;
}

/** The lines, each followed by the threads that end on it. */
function linesWithThreads(parsed, threads) {
  const unplaced = new Map();
  for (const one of threads) {
    const key = `${one.root.side}:${one.root.line}`;
    unplaced.set(key, [...(unplaced.get(key) ?? []), one]);
  }
  const shown = parsed.flatMap((line) => {
    const keys = [line.after && `RIGHT:${line.after}`, line.before && `LEFT:${line.before}`];
    const here = keys.flatMap((key) => unplaced.get(key) ?? []);
    keys.forEach((key) => unplaced.delete(key));
    return [row(line, here.length > 0), ...here.map((one) => thread(one))];
  });
  const elsewhere = [...unplaced.values()].flat();
  return [...shown, ...elsewhere.map((one) => h("div", {}, h("p", { class: "note" }, title(one)), thread(one, "whole")))];
}
