/** One webhook: its settings, a test, its secret, and what was sent to it. */

import { confirmed, openDialog } from "../../components/dialog.js";
import { choiceField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { report, tell } from "../../components/notices.js";
import { pageHead } from "../../components/page_head.js";
import { api } from "../../core/api.js";
import { fill, tags } from "../../core/elements.js";
import { ago, dateTime, sentence } from "../../core/format.js";
import { navigate, refresh } from "../../core/router.js";
import { mayAdminister } from "../../core/session.js";
import { webhookForm } from "../webhooks/form.js";
import { answerView, deliveryLog, requestView } from "./deliveries.js";

const { button, dd, div, dl, dt, h3, p, section } = tags;
const OF_CALLS = ["call.completed", "call.started", "call.failed", "call.intelligence.ready"];

async function edit(webhook, base) {
  const saved = await openDialog("Change the webhook", (close) =>
    webhookForm(webhook, (body) => api.patch(base, body), close),
  );
  if (!saved) return;
  await refresh();
  tell("Saved.");
}

/** The events that a sample can be sent of: those it subscribes to, and those of calls. */
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
    const done = button({ type: "button", onclick: () => close() }, "Close");
    return [
      p("A signed sample is sent at once. Nothing has happened; the data are made up."),
      formOf([event], send, { words: "Send", extra: [done] }),
      answer,
    ];
  });
}

async function rotate(base) {
  const rotated = await openDialog("Rotate the secret", (close) => {
    const secret = textField("secret", "New secret", {
      type: "password",
      autocomplete: "new-password",
      required: true,
      hint: "16 characters or more. For a day, webhook-signature is made with both.",
    });
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    const send = async (given) => close(await api.post(`${base}/rotate-secret`, given));
    return formOf([secret], send, { words: "Rotate", extra: [cancel] });
  });
  if (!rotated) return;
  await refresh();
  tell(`The old secret signs as well until ${dateTime(rotated.previous_secret_until)}`);
}

async function replayFailed(base) {
  const words = "Everything that failed in the last 30 days is sent again.";
  if (!(await confirmed("Replay what failed?", words, "Replay"))) return;
  try {
    const now = Date.now();
    const span = { from: new Date(now - 30 * 86_400_000).toISOString(), to: new Date(now).toISOString() };
    const { count } = await api.post(`${base}/replay`, span);
    await refresh();
    tell(count === 1 ? "1 delivery is sent again" : `${count} deliveries are sent again`);
  } catch (error) {
    report(error);
  }
}

async function remove(base) {
  const words = "Nothing is sent to it any more, and the log of its deliveries is deleted.";
  if (!(await confirmed("Delete the webhook?", words, "Delete"))) return;
  try {
    await api.delete(base);
    navigate("/console/webhooks");
    tell("The webhook is deleted");
  } catch (error) {
    report(error);
  }
}

const facts = (webhook) => [
  ["Events", webhook.events.join(", ")],
  ["Redaction", sentence(webhook.redaction_level)],
  ["Alerts", webhook.alert_email ?? "Nobody gets a mail"],
  webhook.failing_since && ["Fails since", ago(webhook.failing_since)],
  webhook.previous_secret_until && ["Old secret", `signs as well until ${dateTime(webhook.previous_secret_until)}`],
].filter(Boolean);

export async function page({ params, query, signal }) {
  const base = `/v1/webhooks/${params.id}`;
  const webhook = await api.get(base, {}, signal);
  const isAdministrator = mayAdminister();
  const act = (words, work, kind) => button({ type: "button", class: kind, onclick: work }, words);
  return [
    pageHead("Webhook", {
      about: webhook.url,
      actions: isAdministrator && [
        act("Send a test", () => test(webhook, base), "primary"),
        act("Change", () => edit(webhook, base)),
        act("Rotate the secret", () => rotate(base)),
        act("Replay what failed", () => replayFailed(base)),
        act("Delete", () => remove(base)),
      ],
    }),
    section(dl({ class: "facts" }, facts(webhook).map(([name, value]) => [dt(name), dd(value)]))),
    await deliveryLog(webhook, { state: query.get("status") ?? "", mayReplay: isAdministrator, signal }),
  ];
}
