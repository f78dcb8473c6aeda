// The caller and the decision of a journal entry.

const KINDS = { classic: "classic token", oauth: "OAuth token", fine_grained: "fine-grained token", installation: "installation token", app: "app", unknown: "unknown credential" };

/** The caller in words: `alice, classic token`. */
export function callerOf({ caller }) {
  const kind = KINDS[caller.kind] ?? caller.kind;
  if (caller.kind === "app_user") return `${caller.login} through ${caller.app_slug}`;
  const who = caller.login ?? caller.app_slug;
  return who ? `${who}, ${kind}` : kind;
}

/** The step that rejected a request, if any. */
export function rejection({ explanation }) {
  return explanation.steps.findLast((step) => step.outcome !== "passed");
}

/** Whether a fault was injected. */
export function isFault({ explanation }) {
  return explanation.steps.some((step) => step.check === "fault");
}
