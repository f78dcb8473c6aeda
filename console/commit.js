// A commit with its statuses and checks, and its diff against its parent.

import { h, put } from "./dom.js";
import { changedLines, fileDiff } from "./diff.js";
import { count, time } from "./format.js";
import { crumbs, facts, more } from "./paging.js";
import { reports } from "./reports.js";
import { path, to } from "./route.js";

export async function show(container, { world, forge, rest, signal }) {
  const [owner, name, sha] = rest;
  const { data: commit, next } = await forge.page(`${path("repos", owner, name, "commits", sha)}?per_page=30`, signal);
  const [title, ...body] = commit.commit.message.split("\n");
  const link = (parent) => h("a", { class: "mono", href: to(world, "world", "commit", owner, name, parent) }, parent.slice(0, 7));
  const files = h("div", {}, commit.files.map((file) => fileDiff(file)));
  let following = next;
  const load = async () => {
    const page = await forge.page(following, signal);
    files.append(...page.data.files.map((file) => fileDiff(file)));
    following = page.next;
    return Boolean(following);
  };
  put(
    container,
    crumbs(world, [[owner, to(world, "world", "account", owner)], [name, to(world, "world", "repo", owner, name)]]),
    h("h1", {}, title),
    body.join("").trim() && h("pre", { class: "sub" }, body.join("\n").trim()),
    facts([
      ["Commit", h("code", {}, commit.sha)],
      ["Author", `${commit.author?.login ?? commit.commit.author?.name ?? ""} · ${time(commit.commit.author?.date)}`],
      ["Parents", commit.parents.length > 0 ? commit.parents.map((parent) => [link(parent.sha), " "]) : "none"],
      ["Changes", [changedLines(commit.stats), ` in ${count(commit.files.length, "file")}${next ? " and more" : ""}`]],
    ]),
    reports(path("repos", owner, name), commit.sha, forge, signal),
    h("h2", {}, "Changes"),
    files,
    following && more("More files", load),
  );
}
