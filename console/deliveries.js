// The Deliveries page: every webhook delivery, sent or only recorded.

import { control } from "./api.js";
import { announce, h, put } from "./dom.js";
import { attempt } from "./dialog.js";
import { milliseconds, time, timeOfDay } from "./format.js";
import { badge, show, summary } from "./delivery.js";
import { current, path, to } from "./route.js";
import { SplitPage } from "./split.js";

/** How often the page reloads a pending delivery, in milliseconds. */
const PENDING_POLL_INTERVAL = 1500;
/** How often the page reads whether another program paused deliveries, in milliseconds. */
const PAUSE_POLL_INTERVAL = 3000;
const STATES = new Set(["pending", "delivered", "failed", "recorded"]);

const OPTIONS = {
  name: "deliveries",
  title: "Deliveries",
  hint: "Select a delivery to see its payload, headers and response.",
  placeholder: "Filter: push, failed, issues.opened, app:ci-bot",
  empty: "No deliveries yet. Webhooks of apps appear here, even if the app has no webhook URL.",
  noMatch: "No delivery matches this filter.",
  grammar: { keys: { event: "event", action: "action", app: "app", status: "status" }, word },
  row,
  isPending,
};

export class DeliveriesPage extends SplitPage {
  constructor(main, route) {
    super(main, route, OPTIONS);
    this.tools.insertBefore(this.pause(path("worlds", route.world, "delivery")), this.problem);
  }

  /** Pauses deliveries in the server. */
  pause(settings) {
    const button = h("button", { type: "button", "aria-pressed": "false", "data-key": "p" }, "Pause");
    const shown = ({ paused }) => {
      button.disabled = false;
      button.setAttribute("aria-pressed", paused);
      put(button, paused ? "Resume" : "Pause");
    };
    button.addEventListener("click", () => {
      const paused = button.getAttribute("aria-pressed") !== "true";
      attempt(this.tools, button, async () => {
        shown(await control(settings, { method: "PUT", body: { paused } }));
        announce(paused ? "Deliveries paused" : "Deliveries resumed");
      });
    });
    const read = () => control(settings).then(shown, () => (button.disabled = true));
    this.reading = setInterval(() => document.visibilityState === "visible" && read(), PAUSE_POLL_INTERVAL);
    read();
    return button;
  }

  close() {
    clearInterval(this.reading);
    super.close();
  }

  show(delivery, address, signal) {
    if (isPending(delivery)) setTimeout(() => signal.aborted || this.update(current()), PENDING_POLL_INTERVAL);
    return show(delivery, (button) => attempt(this.detail, button, () => this.redeliver(address)));
  }

  async redeliver(address) {
    const made = await control(`${address}/attempts`, { method: "POST" });
    announce("Redelivery requested");
    location.hash = to(this.world, "deliveries", String(made.id));
  }
}

/** A state is a status; any other word is an event, with or without an action. */
function word(text) {
  if (STATES.has(text)) return [["status", text]];
  const [event, action] = text.split(".");
  return action ? [["event", event], ["action", action]] : [["event", event]];
}

function isPending(delivery) {
  return delivery.status === "pending";
}

function row(world, one) {
  return h(
    "a",
    { class: "row delivery", href: to(world, "deliveries", String(one.id)) },
    badge(one),
    h("span", { class: "what" }, summary(one)),
    h("time", { class: "when", datetime: one.created_at, title: time(one.created_at) }, timeOfDay(one.created_at)),
    h("small", {}, [one.app, one.redelivery && "redelivery", one.attempt > 1 && `attempt ${one.attempt}`].filter(Boolean).join(" · ")),
    h("span", { class: "took" }, milliseconds(one.duration_ms)),
    one.error && h("span", { class: "reason" }, one.error),
  );
}
