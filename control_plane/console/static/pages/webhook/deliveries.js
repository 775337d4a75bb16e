/** What was sent to a webhook, with each answer; sending it again. */

import {
  act, actionColumn, ago, api, badge, choiceField, code, dateTime, div, filters, h3, milliseconds, number, p,
  pagedTable, part, pre, quiet, section, sentence, showDialog, small,
} from "../../kit.js";

const STATES = [["", "All"], "failed", "pending", "delivered", "expired"];

function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** A request as it is sent. */
export const requestView = ({ url, headers, body }) => [
  p(code(`POST ${url}`)),
  pre(Object.entries(headers).map(([name, value]) => `${name}: ${value}`).join("\n")),
  pre(pretty(body)),
];

const outcome = ({ status_code: status, duration_ms: took, error }) =>
  [status === null ? "No answer" : `Answer ${status}`, `after ${milliseconds(took)}.`, error].filter(Boolean).join(" ");

/** An answer in words, and the beginning of its body. */
export const answerView = (answer) => [p(outcome(answer)), answer.answer && pre(answer.answer)];

const tried = ({ number: count, started_at: at, ...answer }) =>
  div({ class: "try" }, quiet(`Try ${count}, ${dateTime(at)}`), answerView(answer));

const show = ({ event, occurred_at: at, request, answers }) =>
  showDialog(
    `${event} of ${dateTime(at)}`,
    section(
      h3("Request"),
      request ? [quiet("As a try sends it now."), requestView(request)] : p("There is none any more."),
    ),
    section(h3("Answers"), answers.length ? answers.map(tried) : p("No try yet.")),
  );

const columns = (base, mayReplay) => [
  ["Event", "event", "main", code],
  ["State", ({ status }) => badge(status === "delivered" ? "completed" : status, sentence(status))],
  ["Tries", "tries", "number", number],
  ["When", "occurred_at", "when", ago],
  actionColumn(({ id, status }) => [
    small("Look", () => act(() => api.get(`${base}/deliveries/${id}`), null, show)),
    mayReplay &&
      ["failed", "delivered"].includes(status) &&
      small("Replay", () => act(() => api.post(`${base}/deliveries/${id}/replay`), "It is sent again")),
  ]),
];

/** @param query of the address, with the state of the deliveries. */
export async function deliveryLog(webhook, { query, mayReplay, get }) {
  const base = `/v1/webhooks/${webhook.id}`;
  const [row, asked] = filters([choiceField("status", "State", STATES)], query);
  return part(
    "Deliveries",
    row,
    await pagedTable("Deliveries", columns(base, mayReplay), {
      path: `${base}/deliveries`,
      query: asked,
      empty: "Nothing was sent in the last 30 days.",
      get,
    }),
  );
}
