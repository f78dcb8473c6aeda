// What a journal entry says about the caller and about the decision.

const KINDS = { classic: "classic token", oauth: "OAuth token", fine_grained: "fine-grained token", installation: "installation token", app: "app", unknown: "unknown credential" };

/** The caller in words: `alice, classic token`. */
export function callerOf({ caller }) {
  const kind = KINDS[caller.kind] ?? caller.kind;
  if (caller.kind === "app_user") return `${caller.login} through ${caller.app_slug}`;
  const who = caller.login ?? caller.app_slug;
  return who ? `${who}, ${kind}` : kind;
}

/** The step that decided against a request, if one did. */
export function refusal({ explanation }) {
  return explanation.steps.findLast((step) => step.outcome !== "passed");
}

/** Whether a fault was injected. */
export function isFault({ explanation }) {
  return explanation.steps.some((step) => step.check === "fault");
}
