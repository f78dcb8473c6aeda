// One webhook delivery, and its summary for lists.

import { h, tabs } from "./dom.js";
import { milliseconds, statusLine, time, tone } from "./format.js";
import { message } from "./message.js";

const STATES = { pending: "warn", delivered: "good", failed: "bad", recorded: "soft" };

/** The status code of the response, or else the status of the delivery. */
export function badge(delivery) {
  const status = delivery.response?.status;
  return h("span", { class: `badge ${status ? tone(status) : (STATES[delivery.status] ?? "soft")}` }, status ?? delivery.status);
}

const WHERE = { pending: "not sent yet", recorded: "recorded only: the app has no webhook URL" };

/** `push`, `pull_request.opened`. */
export function summary(delivery) {
  return [delivery.event, delivery.action].filter(Boolean).join(".");
}

/** @param {(button: HTMLButtonElement) => void} redeliver */
export function show(delivery, redeliver) {
  const { request, response } = delivery;
  const attempt = delivery.attempt > 1 && `attempt ${delivery.attempt}`;
  const next = delivery.next_attempt_at && `due ${time(delivery.next_attempt_at)}`;
  const about = [delivery.status, delivery.redelivery && "redelivery", attempt, next, milliseconds(delivery.duration_ms), time(delivery.delivered_at ?? delivery.created_at), delivery.app, delivery.guid];
  const button = h("button", { type: "button", class: "primary" }, "Redeliver");
  button.addEventListener("click", () => redeliver(button));
  return [
    h("h1", {}, summary(delivery)),
    h("p", { class: "sub" }, about.filter(Boolean).join(" · ")),
    delivery.error && h("p", { class: "failure" }, delivery.error),
    h("p", {}, button),
    tabs("Messages", [
      ["Payload", () => message(request.url ? `POST ${request.url}` : WHERE[delivery.status], [], request.payload)],
      ["Headers", () => message("Request headers", request.headers)],
      ["Response", () => message(response ? statusLine(response.status) : "no response", response?.headers, response?.body ?? "")],
    ]),
  ];
}
