/** One webhook: its settings, and what was sent to it. */

import {
  actIfConfirmed, ago, api, choiceField, dateTime, div, facts, fill, formDialog, formOf, h3, mayAdminister, navigate,
  openDialog, p, pageHead, press, secretField, section, sentence,
} from "../../kit.js";
import { webhookForm } from "../webhooks/form.js";
import { answerView, deliveryLog, requestView } from "./deliveries.js";

const OF_CALLS = ["call.completed", "call.started", "call.failed", "call.intelligence.ready"];

const edit = (webhook, base) => webhookForm("Change the webhook", webhook, (body) => api.patch(base, body), "Saved.");

/** The events that a sample can be of. */
const sampled = (webhook) => [...new Set([...webhook.events, ...OF_CALLS])];

async function test(webhook, base) {
  await openDialog("Send a test", (close) => {
    const event = choiceField("event", "Event", sampled(webhook).map((name) => [name, name]));
    const answer = div({ role: "status" });
    const send = async (given) => {
      fill(answer, p("Waiting for the answer…"));
      try {
        const result = await api.post(`${base}/test`, given);
        const words = result.status === "delivered" ? "Delivered." : "It failed.";
        fill(answer, h3(words), answerView(result), h3("Request"), requestView(result.request));
      } catch (error) {
        fill(answer);
        throw error;
      }
    };
    return [
      p("A signed sample is sent at once. Nothing has happened; the data are made up."),
      formOf([event], send, { words: "Send", extra: [press("Close", () => close())] }),
      answer,
    ];
  });
}

const rotate = (base) =>
  formDialog("Rotate the secret", {
    fields: [
      secretField("secret", "New secret", {
        autocomplete: "new-password",
        hint: "16 characters or more. For a day, webhook-signature is made with both.",
      }),
    ],
    send: (given) => api.post(`${base}/rotate-secret`, given),
    words: "Rotate",
    told: (rotated) => `The old secret signs as well until ${dateTime(rotated.previous_secret_until)}`,
  });

const replayFailed = (base) =>
  actIfConfirmed(
    ["Replay what failed?", "Everything that failed in the last 30 days is sent again.", "Replay"],
    () => {
      const now = Date.now();
      const span = { from: new Date(now - 30 * 86_400_000).toISOString(), to: new Date(now).toISOString() };
      return api.post(`${base}/replay`, span);
    },
    ({ count }) => (count === 1 ? "1 delivery is sent again" : `${count} deliveries are sent again`),
  );

const remove = (base) =>
  actIfConfirmed(
    ["Delete the webhook?", "Nothing is sent to it any more, and the log of its deliveries is deleted.", "Delete"],
    () => api.delete(base),
    "The webhook is deleted",
    () => navigate("/console/webhooks"),
  );

const settings = (webhook) => [
  ["Events", webhook.events.join(", ")],
  ["Redaction", sentence(webhook.redaction_level)],
  ["Alerts", webhook.alert_email ?? "Nobody gets a mail"],
  webhook.failing_since && ["Fails since", ago(webhook.failing_since)],
  webhook.previous_secret_until && ["Old secret", `signs as well until ${dateTime(webhook.previous_secret_until)}`],
];

export async function page({ params, query, get }) {
  const base = `/v1/webhooks/${params.id}`;
  const webhook = await get(base);
  const isAdministrator = mayAdminister();
  return [
    pageHead("Webhook", {
      about: webhook.url,
      actions: isAdministrator && [
        press("Send a test", () => test(webhook, base), "primary"),
        press("Change", () => edit(webhook, base)),
        press("Rotate the secret", () => rotate(base)),
        press("Replay what failed", () => replayFailed(base)),
        press("Delete", () => remove(base)),
      ],
    }),
    section(facts(settings(webhook))),
    await deliveryLog(webhook, { query, mayReplay: isAdministrator, get }),
  ];
}
