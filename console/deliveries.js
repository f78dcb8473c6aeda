// The Deliveries page: every webhook delivery, sent or only recorded.

import { control } from "./api.js";
import { announce, h, put } from "./dom.js";
import { attempt } from "./dialog.js";
import { milliseconds, timeOfDay } from "./format.js";
import { badge, show, summary } from "./delivery.js";
import { current, path, to } from "./route.js";
import { SplitPage } from "./split.js";

/** How often the page reloads a pending delivery, in milliseconds. */
const PENDING_POLL_INTERVAL = 1500;

const OPTIONS = {
  name: "deliveries",
  title: "Deliveries",
  hint: "Select a delivery to see its payload, headers and response.",
  placeholder: "Filter by event: push, pull_request",
  empty: "No deliveries yet. Webhooks of apps appear here, even if the app has no webhook URL.",
  query: (text) => (text.trim() ? `&event=${encodeURIComponent(text.trim())}` : ""),
  row,
  isPending,
};

export class DeliveriesPage extends SplitPage {
  constructor(main, route) {
    super(main, route, OPTIONS);
    this.tools.append(this.pause(path("worlds", route.world, "delivery")));
  }

  /** Pauses deliveries in the server. */
  pause(settings) {
    const button = h("button", { type: "button", "aria-pressed": "false", "data-key": "p" }, "Pause");
    const shown = ({ paused }) => {
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
    control(settings).then(shown, () => (button.disabled = true));
    return button;
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

function isPending(delivery) {
  return delivery.status === "pending";
}

function row(world, one) {
  return h(
    "a",
    { class: "row delivery", href: to(world, "deliveries", String(one.id)) },
    badge(one),
    h("span", { class: "what" }, summary(one)),
    h("span", { class: "took" }, milliseconds(one.duration_ms)),
    h("small", {}, [one.app, one.redelivery && "redelivery", one.attempt > 1 && `attempt ${one.attempt}`, one.error, timeOfDay(one.created_at)].filter(Boolean).join(" · ")),
  );
}
