// A repository: its metadata, pull requests, issues, branches and tags, and its commit graph.

import { h, notice, put } from "./dom.js";
import { time } from "./format.js";
import { graph } from "./graph.js";
import { labels } from "./labels.js";
import { crumbs, facts, more, section, table } from "./paging.js";
import { path, to } from "./route.js";

const COMMITS = 30;
/** How many branches one commit graph shows. */
const MAX_BRANCHES = 6;
const TAGS = 30;

export async function show(container, { world, contents, forge, rest, signal }) {
  const [owner, name, branch] = rest;
  const base = path("repos", owner, name);
  // Await this request first: if the repository is hidden, only one request fails.
  const repository = await forge.get(base, signal);
  const [branches, pulls, issues] = await Promise.all([
    forge.get(`${base}/branches?per_page=${MAX_BRANCHES * 4}`, signal),
    forge.get(`${base}/pulls?state=all&per_page=${COMMITS}`, signal),
    forge.get(`${base}/issues?state=all&per_page=${COMMITS}`, signal),
  ]);
  const history = h("div", {}, notice("Loading…"));
  put(
    container,
    crumbs(world, [[owner, to(world, "world", "account", owner)]]),
    h("h1", {}, name),
    h("p", { class: "sub" }, repository.description || "No description"),
    facts([
      ["Visibility", repository.visibility],
      ["Default branch", repository.default_branch],
      ["Last push", time(repository.pushed_at)],
      ["Id", repository.id],
    ]),
    pulls.length > 0 && [h("h2", {}, "Pull requests"), pullList(world, owner, name, pulls)],
    issueList(world, owner, name, issues.filter((issue) => !issue.pull_request)),
    collaboratorTable(world, contents.collaborators.filter((one) => one.repository === repository.full_name)),
    section("Tags", tags(world, owner, name, forge, signal), "No tags."),
    h("p", {}, h("a", { href: to(world, "world", "refs", owner, name) }, "All references")),
    h("h2", {}, branch ? `Commits on ${branch}` : "Commits"),
    chips(world, owner, name, branches, branch),
    history,
  );
  await commits(history, { world, forge, owner, name, base, signal, branches: shown(branches, branch, repository.default_branch) });
}

/** The selected branch, or the default branch and a few others. */
function shown(branches, branch, defaultBranch) {
  if (branch) return branches.some((one) => one.name === branch) ? branches.filter((one) => one.name === branch) : [{ name: branch }];
  const first = branches.filter((one) => one.name === defaultBranch);
  return [...first, ...branches.filter((one) => one.name !== defaultBranch)].slice(0, MAX_BRANCHES);
}

function collaboratorTable(world, collaborators) {
  if (collaborators.length === 0) return null;
  const row = (one) => [h("a", { href: to(world, "world", "account", one.user) }, one.user), one.permission];
  return [h("h2", {}, "Collaborators"), table("Collaborators", ["User", "Permission"], collaborators.map(row))];
}

function pullList(world, owner, name, pulls) {
  return h(
    "ul",
    { class: "reviews" },
    pulls.map((pull) => h("li", {}, state(pull), " ", h("a", { href: to(world, "world", "pull", owner, name, String(pull.number)) }, pull.title), h("small", {}, ` #${pull.number} by ${pull.user?.login ?? "ghost"} · ${pull.head.ref} → ${pull.base.ref} `), labels(pull))),
  );
}

function issueList(world, owner, name, issues) {
  const item = (issue) => h("li", {}, state(issue), " ", h("a", { href: to(world, "world", "issue", owner, name, String(issue.number)) }, issue.title), h("small", {}, ` #${issue.number} by ${issue.user?.login ?? "ghost"} `), labels(issue));
  return issues.length > 0 && [h("h2", {}, "Issues"), h("ul", { class: "reviews" }, issues.map(item))];
}

/** The state of an issue or a pull request: open, closed, merged or draft. */
export function state(pull) {
  const word = pull.merged_at ? "merged" : pull.state;
  return h("span", { class: `state ${word}` }, pull.draft && word === "open" ? "draft" : word);
}

function chips(world, owner, name, branches, branch) {
  const link = (text, where, here) => h("a", { class: "tag", href: to(world, "world", "repo", owner, name, ...where), "aria-current": here ? "true" : false }, text);
  return h("p", { class: "branches" }, link("all branches", [], !branch), branches.map((one) => link(one.name, [one.name], one.name === branch)));
}

/** The first tags, each with a link to its commit; null if there are none. */
async function tags(world, owner, name, forge, signal) {
  const { data, next } = await forge.page(`${path("repos", owner, name, "tags")}?per_page=${TAGS}`, signal);
  if (data.length === 0) return null;
  const link = (one) => h("a", { class: "tag", href: to(world, "world", "commit", owner, name, one.commit.sha) }, one.name);
  return h("p", { class: "branches" }, data.map(link), next && h("span", { class: "soft" }, "and more"));
}

/** The combined commits of several branches; each load adds a page of each branch. */
async function commits(container, { world, forge, owner, name, base, signal, branches }) {
  const known = new Map();
  const names = new Map();
  for (const { name: branch, commit } of branches) {
    if (commit) names.set(commit.sha, [...(names.get(commit.sha) ?? []), branch]);
  }
  let next = branches.map((one) => `${base}/commits?sha=${encodeURIComponent(one.name)}&per_page=${COMMITS}`);
  const load = async () => {
    const pages = await Promise.all(next.map((address) => forge.page(address, signal)));
    pages.flatMap((page) => page.data).forEach((commit) => known.set(commit.sha, commit));
    next = pages.map((page) => page.next).filter(Boolean);
    const list = graph([...known.values()], names, (sha) => to(world, "world", "commit", owner, name, sha));
    put(container, known.size > 0 ? list : notice("Empty repository."), next.length > 0 && more("Older commits", load));
    return next.length > 0;
  };
  await load();
}
