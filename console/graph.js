// A commit graph: a list of commits with lanes.

import { h, svg } from "./dom.js";
import { time } from "./format.js";

const STEP = 14;
const HEIGHT = 52;
const MIDDLE = HEIGHT / 2;
/** All lanes from this one on are drawn in the same position. */
const MAX_LANE = 8;

/**
 * Orders commits so that each comes before its parents, and otherwise the newest first.
 *
 * @param {{ sha: string, date: string, parents: string[] }[]} commits
 */
export function ordered(commits) {
  const known = new Map(commits.map((commit) => [commit.sha, commit]));
  const children = new Map();
  for (const commit of known.values()) {
    for (const parent of commit.parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  const ready = [...known.values()].filter((commit) => !children.get(commit.sha));
  const result = [];
  while (ready.length > 0) {
    ready.sort((one, other) => (one.date < other.date ? -1 : 1));
    const commit = ready.pop();
    result.push(commit);
    for (const parent of commit.parents) {
      children.set(parent, children.get(parent) - 1);
      if (children.get(parent) === 0 && known.has(parent)) ready.push(known.get(parent));
    }
  }
  return result;
}

/**
 * Assigns each commit a lane, and the lines that pass it.
 *
 * @param {{ sha: string, parents: string[] }[]} commits children before parents
 */
export function lanes(commits) {
  const expected = [];
  const free = () => (expected.includes(null) ? expected.indexOf(null) : expected.length);
  return commits.map((commit) => {
    const found = expected.indexOf(commit.sha);
    const lane = found < 0 ? free() : found;
    const above = expected.flatMap((sha, at) => (sha === null ? [] : [[at, sha === commit.sha ? lane : at]]));
    expected.forEach((sha, at) => sha === commit.sha && (expected[at] = null));
    if (lane === expected.length) expected.push(null);
    const passing = expected.flatMap((sha, at) => (sha === null ? [] : [[at, at]]));
    const below = commit.parents.map((parent, index) => {
      let to = expected.indexOf(parent);
      if (to < 0) {
        to = index === 0 ? lane : free();
        expected[to] = parent;
      }
      return [lane, to];
    });
    while (expected.at(-1) === null) expected.pop();
    return { commit, lane, above, below: [...passing, ...below] };
  });
}

function x(lane) {
  return 9 + Math.min(lane, MAX_LANE) * STEP;
}

function line([from, to], top, bottom) {
  const [start, end] = [x(from), x(to)];
  const half = (top + bottom) / 2;
  const d = start === end ? `M${start} ${top}V${bottom}` : `M${start} ${top}C${start} ${half} ${end} ${half} ${end} ${bottom}`;
  return svg("path", { d, class: `lane${Math.max(from, to) % 5}` });
}

function picture({ lane, above, below }, width) {
  return svg(
    "svg",
    { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" },
    above.map((edge) => line(edge, 0, MIDDLE)),
    below.map((edge) => line(edge, MIDDLE, HEIGHT)),
    svg("circle", { cx: x(lane), cy: MIDDLE, r: 4.5, class: `lane${lane % 5}` }),
  );
}

/**
 * @param {object[]} commits from `list_commits`
 * @param {Map<string, string[]>} names of branches by the SHA of their head
 * @param {(sha: string) => string} address of a commit's page
 */
export function graph(commits, names, address) {
  const plain = commits.map((commit) => ({
    sha: commit.sha,
    date: commit.commit.committer?.date ?? "",
    parents: commit.parents.map((parent) => parent.sha),
    source: commit,
  }));
  const rows = lanes(ordered(plain));
  const widest = Math.max(0, ...rows.flatMap((row) => [row.lane, ...row.below.map((edge) => edge[1])]));
  const width = x(widest) + 9;
  return h("ol", { class: "commits" }, rows.map((row) => h("li", {}, picture(row, width), about(row.commit.source, names, address))));
}

function about(commit, names, address) {
  const [title] = commit.commit.message.split("\n", 1);
  const who = commit.author?.login ?? commit.commit.author?.name ?? "";
  return h(
    "div",
    { class: "about" },
    h(
      "div",
      {},
      h("a", { class: "title", href: address(commit.sha) }, title || "(no message)"),
      (names.get(commit.sha) ?? []).map((name) => h("span", { class: "tag" }, name)),
    ),
    h("small", {}, h("span", { class: "mono" }, commit.sha.slice(0, 7)), ` · ${who} · ${time(commit.commit.author?.date)}`),
  );
}
