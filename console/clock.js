// The clock dialog: freeze, resume, set or advance the clock.

import { control } from "./api.js";
import { announce, h, put } from "./dom.js";
import { attempt, field, form, open } from "./dialog.js";
import { duration, time } from "./format.js";
import { path } from "./route.js";

const STEPS = [["1 minute", 60], ["1 hour", 3600], ["1 day", 86400], ["30 days", 2592000]];

/** @param {import("./toolbar.js").Toolbar} toolbar */
export function openClock(world, toolbar) {
  const base = `${path("worlds", world)}/clock`;
  open(`Clock of ${world}`, async (container) => {
    const now = h("p", {}, "…");
    const freeze = h("button", { type: "button" });
    const shown = (clock) => {
      put(now, h("b", { class: "mono" }, time(clock.now)), " ", h("span", { class: "soft" }, clock.frozen ? "UTC, frozen" : "UTC, running"), offset(clock));
      put(freeze, clock.frozen ? "Resume" : "Freeze");
      freeze.dataset.frozen = clock.frozen;
      toolbar.showClock(clock);
      announce(`The clock shows ${time(clock.now)}`);
    };
    const change = (body, button) => attempt(container, button, async () => shown(await control(base, { method: "PATCH", body })));
    freeze.addEventListener("click", () => change({ frozen: freeze.dataset.frozen !== "true" }, freeze));
    const input = h("input", { type: "datetime-local", step: 1, required: true });
    container.append(
      now,
      h("div", { class: "buttons" }, freeze, h("button", { type: "button", onclick: (event) => attempt(container, event.target, async () => shown(await control(base, { method: "DELETE" }))) }, "Use system time")),
      h("h3", {}, "Advance by"),
      h("div", { class: "buttons" }, STEPS.map(([name, seconds]) => h("button", { type: "button", onclick: (event) => change({ advance: seconds }, event.target) }, name))),
      h("h3", {}, "Set"),
      form("line", field("Time (UTC)", input), "Set", () => change({ now: `${input.value.length === 16 ? `${input.value}:00` : input.value}Z` })),
    );
    await attempt(container, null, async () => {
      const clock = await control(base);
      shown(clock);
      input.value = clock.now.slice(0, 19);
    });
  });
}

function offset({ offset: seconds }) {
  return seconds !== 0 && [h("br"), h("span", { class: "offset" }, `${duration(seconds)} ${seconds > 0 ? "ahead of" : "behind"} the system time`)];
}
