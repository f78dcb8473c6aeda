// A pull request: its metadata, conversation and reviews, and its diff with the threads in
// place. Files and comments load a page at a time.

import { isAbort } from "./api.js";
import { conversation } from "./conversation.js";
import { h, notice, put } from "./dom.js";
import { changedLines, fileDiff, lines } from "./diff.js";
import { count, time } from "./format.js";
import { graph } from "./graph.js";
import { markup } from "./markup.js";
import { labels } from "./labels.js";
import { crumbs, facts, more, morePages } from "./paging.js";
import { reports } from "./reports.js";
import { state } from "./repository.js";
import { path, to } from "./route.js";
import { outdated, thread, threadsByPath } from "./threads.js";

// Page sizes.
const FILES = 30;
const COMMENTS = 100;
const REVIEWS = 30;
const COMMITS = 50;

export async function show(container, { world, forge, rest, signal }) {
  const [owner, name, number] = rest;
  const base = path("repos", owner, name, "pulls", number);
  // Await this request first: if the pull request is hidden, only one request fails.
  const pull = await forge.get(base, signal);
  const [files, comments, reviews, discussion] = await Promise.all([
    forge.page(`${base}/files?per_page=${FILES}`, signal),
    forge.page(`${base}/comments?per_page=${COMMENTS}`, signal),
    forge.page(`${base}/reviews?per_page=${REVIEWS}`, signal),
    conversation(path("repos", owner, name, "issues", number), pull.comments, forge, signal),
  ]);
  put(container, head(world, owner, name, pull), commitList(world, owner, name, pull, forge, signal), reports(path("repos", owner, name), pull.head.sha, forge, signal), discussion, reviewList(reviews, forge, signal), changes(pull, files, comments, forge, signal));
}

function head(world, owner, name, pull) {
  const merge = { true: "can be merged", false: "cannot be merged" }[pull.mergeable];
  return [
    crumbs(world, [[owner, to(world, "world", "account", owner)], [name, to(world, "world", "repo", owner, name)]]),
    h("h1", {}, pull.title, " ", h("span", { class: "soft" }, `#${pull.number}`)),
    h("p", { class: "sub" }, state(pull), ` ${pull.user?.login ?? "ghost"} wants to merge `, h("code", {}, pull.head.label), " into ", h("code", {}, pull.base.label), ` · ${time(pull.created_at)}`, merge && pull.state === "open" && ` · ${merge}`),
    facts([["Labels", labels(pull)], ["Assignees", logins(pull.assignees)], ["Reviewers", logins(pull.requested_reviewers)], ["Head", h("a", { class: "mono", href: to(world, "world", "commit", owner, name, pull.head.sha) }, pull.head.sha.slice(0, 7))]]),
    (pull.body || pull.body_html) && h("div", { class: "card" }, markup(pull.body_html, pull.body)),
  ];
}

function logins(users) {
  return (users ?? []).map((user) => user.login).join(", ");
}

/** The commits, collapsed; expanding them loads the first page. */
function commitList(world, owner, name, pull, forge, signal) {
  const fold = h("details", { class: "card" }, h("summary", {}, count(pull.commits, "commit")));
  const address = `${path("repos", owner, name, "pulls", String(pull.number))}/commits?per_page=${COMMITS}`;
  const load = async () => {
    const commits = await forge.get(address, signal);
    const left = pull.commits - commits.length;
    fold.append(graph(commits, new Map(), (sha) => to(world, "world", "commit", owner, name, sha)));
    if (left > 0) fold.append(h("p", { class: "soft" }, `and ${left.toLocaleString("en")} more`));
  };
  fold.addEventListener("toggle", () => load().catch((failure) => isAbort(failure) || fold.append(notice(failure.message, "failure"))), { once: true });
  return fold;
}

const VERDICTS = { APPROVED: ["approved", "good"], CHANGES_REQUESTED: ["requested changes", "bad"], COMMENTED: ["commented", "soft"], DISMISSED: ["was dismissed", "soft"], PENDING: ["has a pending review", "warn"] };

/** Reviews with a verdict or a body; the diff shows the comments of the others. */
function reviewList({ data, next }, forge, signal) {
  const item = (review) => {
    const [words, tone] = VERDICTS[review.state] ?? [review.state, "soft"];
    return h("li", { id: `pullrequestreview-${review.id}` }, h("b", {}, review.user?.login ?? "ghost"), " ", h("span", { class: tone }, words), h("small", {}, ` · ${time(review.submitted_at)}`), review.body && markup(review.body_html, review.body));
  };
  const notable = (reviews) => reviews.filter((review) => review.body || review.state !== "COMMENTED");
  const list = h("ul", { class: "reviews" }, notable(data).map(item));
  const add = (reviews) => list.append(...notable(reviews).map(item));
  if (list.childElementCount === 0 && !next) return null;
  return [h("h2", {}, "Reviews"), list, morePages("More reviews", next, add, forge, signal)];
}

/** The files with their threads, rendered again after more of either has loaded. */
function changes(pull, firstFiles, firstComments, forge, signal) {
  const files = [...firstFiles.data];
  const comments = [...firstComments.data];
  let [nextFiles, nextComments] = [firstFiles.next, firstComments.next];
  const area = h("div");
  const heading = h("h2", {}, "");
  const draw = () => {
    const threads = threadsByPath(comments);
    put(heading, `${count(pull.changed_files, "file")} · `, changedLines(pull), ` · ${shownOf(comments.length, pull.review_comments)}`);
    put(area, files.map((file) => fileDiff(file, threads.get(file.filename))), nextFiles ? null : elsewhere(files, threads));
  };
  const loadFiles = async () => {
    const page = await forge.page(nextFiles, signal);
    files.push(...page.data);
    nextFiles = page.next;
    draw();
    return Boolean(nextFiles);
  };
  const loadComments = async () => {
    const page = await forge.page(nextComments, signal);
    comments.push(...page.data);
    nextComments = page.next;
    draw();
    return Boolean(nextComments);
  };
  draw();
  return [heading, nextComments && more(`Load ${COMMENTS} more comments`, loadComments), area, nextFiles && more("More files", loadFiles)];
}

function shownOf(loaded, all) {
  return loaded < all ? `${loaded.toLocaleString("en")} of ${count(all, "comment")} loaded` : count(Math.max(loaded, all), "comment");
}

/** Threads on files that the diff no longer contains. */
function elsewhere(files, threads) {
  const present = new Set(files.map((file) => file.filename));
  const gone = [...threads].filter(([name]) => !present.has(name));
  return gone.map(([name, those]) =>
    h("section", { class: "diff", "aria-label": name }, h("div", { class: "head" }, h("span", { class: "name" }, `${name} (no longer changed)`)), those.map((one) => (one.outdated ? outdated(one, lines) : thread(one, "whole")))),
  );
}
