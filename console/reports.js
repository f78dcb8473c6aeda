// What continuous integration reported on a commit: statuses and check runs.

import { isAbort } from "./api.js";
import { h, notice, put } from "./dom.js";
import { count, duration } from "./format.js";
import { more, section } from "./paging.js";
import { path } from "./route.js";

const PAGE = 50;
const ANNOTATIONS = 50;

const SIGNS = { good: "✓", bad: "✕", warn: "●", soft: "–" };
const TONES = {
  success: "good", failure: "bad", error: "bad", pending: "warn", queued: "warn", in_progress: "warn", waiting: "warn", requested: "warn",
  timed_out: "bad", action_required: "warn", startup_failure: "bad", cancelled: "soft", neutral: "soft", skipped: "soft", stale: "soft",
};

/**
 * @param {string} base the path of the repository
 * @param {string} sha
 */
export function reports(base, sha, forge, signal) {
  const commit = `${base}/commits/${encodeURIComponent(sha)}`;
  return section("Statuses and checks", load(base, commit, forge, signal), "Nothing was reported on this commit.");
}

async function load(base, commit, forge, signal) {
  const [combined, runs] = await Promise.all([
    forge.page(`${commit}/status?per_page=${PAGE}`, signal),
    forge.page(`${commit}/check-runs?per_page=${PAGE}`, signal),
  ]);
  const statuses = combined.data;
  if (statuses.total_count + runs.data.total_count === 0) return null;
  const list = h("ul", { class: "reports", "aria-label": "Statuses and checks" });
  const add = ({ data }) => list.append(...(data.statuses ?? []).map(statusItem), ...(data.check_runs ?? []).map((run) => runItem(base, run, forge, signal)));
  add(combined);
  add(runs);
  return [summary(statuses, runs.data), list, rest("More statuses", combined.next, add, forge, signal), rest("More checks", runs.next, add, forge, signal)];
}

/** A button for the other pages of a list inside an object. */
function rest(text, next, add, forge, signal) {
  let following = next;
  const load = async () => {
    const page = await forge.page(following, signal);
    following = page.next;
    add(page);
    return Boolean(following);
  };
  return next && more(text, load);
}

function summary(statuses, runs) {
  const parts = [
    statuses.total_count > 0 && [`combined status `, h("b", { class: TONES[statuses.state] ?? "" }, statuses.state), ` of ${count(statuses.total_count, "context")}`],
    runs.total_count > 0 && count(runs.total_count, "check run"),
  ];
  return h("p", { class: "soft" }, parts.filter(Boolean).map((part, at) => [at > 0 && " · ", part]));
}

function mark(word) {
  const tone = TONES[word] ?? "soft";
  return h("span", { class: `mark ${tone}` }, h("span", { "aria-hidden": "true" }, SIGNS[tone]), h("span", { class: "hidden" }, word));
}

function statusItem(status) {
  return h("li", {}, mark(status.state), h("div", {}, h("b", {}, status.context), " ", h("span", { class: "soft" }, [status.state, status.description].filter(Boolean).join(" · ")), details(status.target_url)));
}

function runItem(base, run, forge, signal) {
  const word = run.conclusion ?? run.status;
  const about = [run.app?.slug, word.replaceAll("_", " "), took(run), run.output.title].filter(Boolean).join(" · ");
  return h("li", {}, mark(word), h("div", {}, h("b", {}, run.name), " ", h("span", { class: "soft" }, about), details(run.details_url), output(base, run, forge, signal)));
}

function took(run) {
  if (!run.started_at || !run.completed_at) return "";
  return duration(Math.round((Date.parse(run.completed_at) - Date.parse(run.started_at)) / 1000));
}

/** The link that the reporter gave, if it leads to a web page. */
function details(address) {
  return /^https?:\/\//i.test(address ?? "") && [" ", h("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow" }, "details")];
}

/** The output of a check run, collapsed; expanding it loads its annotations. */
function output(base, { id, output: given }, forge, signal) {
  if (!given.summary && !given.text && given.annotations_count === 0) return null;
  const fold = h("details", {}, h("summary", {}, ["output", given.annotations_count > 0 && count(given.annotations_count, "annotation")].filter(Boolean).join(", ")));
  const show = async () => {
    fold.append(...[given.summary, given.text].filter(Boolean).map((part) => h("pre", {}, part)));
    if (given.annotations_count === 0) return;
    const list = h("ul", { class: "annotations" });
    fold.append(list);
    const { data, next } = await forge.page(`${base}${path("check-runs", String(id), "annotations")}?per_page=${ANNOTATIONS}`, signal);
    put(list, data.map(annotation));
    if (next) fold.append(h("p", { class: "soft" }, `The first ${ANNOTATIONS} of ${count(given.annotations_count, "annotation")}.`));
  };
  fold.addEventListener("toggle", () => show().catch((failure) => isAbort(failure) || fold.append(notice(failure.message, "failure"))), { once: true });
  return fold;
}

const LEVELS = { failure: "bad", warning: "warn", notice: "soft" };

function annotation(one) {
  const lines = one.end_line > one.start_line ? `${one.start_line}–${one.end_line}` : one.start_line;
  return h("li", {}, h("span", { class: LEVELS[one.annotation_level] ?? "soft" }, one.annotation_level), " ", h("code", {}, `${one.path}:${lines}`), " ", one.title && [h("b", {}, one.title), " "], one.message);
}
