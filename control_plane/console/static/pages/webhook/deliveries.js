/** What was sent to a webhook: each request with every answer, and sending it again. */

import { badge } from "../../components/badge.js";
import { openDialog } from "../../components/dialog.js";
import { choiceField } from "../../components/fields.js";
import { growingList } from "../../components/more.js";
import { report, tell } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { ago, dateTime, milliseconds, number } from "../../core/format.js";
import { navigate, refresh } from "../../core/router.js";

const { button, code, div, h2, h3, p, pre, section } = tags;
const PAGE_SIZE = 50;
const STATES = [
  ["", "All"],
  ["failed", "Failed"],
  ["pending", "Pending"],
  ["delivered", "Delivered"],
  ["expired", "Expired"],
];

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

async function look(base, id) {
  const shown = await api.get(`${base}/deliveries/${id}`);
  await openDialog(`${shown.event} of ${dateTime(shown.occurred_at)}`, (close) => [
    section(
      h3("Request"),
      shown.request
        ? [p({ class: "quiet" }, "As a try sends it now."), requestView(shown.request)]
        : p("What it told was erased."),
    ),
    section(
      h3("Answers"),
      shown.answers.length
        ? shown.answers.map((each) => div({ class: "try" }, p({ class: "quiet" }, `Try ${each.number}, ${dateTime(each.started_at)}`), answerView(each)))
        : p("No try yet."),
    ),
    div({ class: "buttons" }, button({ type: "button", onclick: () => close() }, "Close")),
  ]);
}

async function done(work) {
  try {
    await work();
  } catch (error) {
    report(error);
  }
}

async function replay(base, id) {
  await api.post(`${base}/deliveries/${id}/replay`);
  await refresh();
  tell("It is sent again");
}

const columns = (base, mayReplay) => [
  { words: "Event", kind: "main", cell: ({ event }) => code(event) },
  { words: "State", cell: ({ status }) => badge(status === "delivered" ? "completed" : status, status[0].toUpperCase() + status.slice(1)) },
  { words: "Tries", cell: ({ tries }) => number(tries) },
  { words: "When", cell: ({ occurred_at: at }) => ago(at) },
  {
    words: "",
    kind: "actions",
    cell: ({ id, status }) =>
      div(
        { class: "buttons" },
        button({ type: "button", class: "small", onclick: () => done(() => look(base, id)) }, "Look"),
        mayReplay &&
          ["failed", "delivered"].includes(status) &&
          button({ type: "button", class: "small", onclick: () => done(() => replay(base, id)) }, "Replay"),
      ),
  },
];

/** @param state of the deliveries; empty for all. */
export async function deliveryLog(webhook, { state, mayReplay, signal }) {
  const base = `/v1/webhooks/${webhook.id}`;
  const filter = choiceField("status", "State", STATES);
  filter.set(state);
  const choose = () => {
    const wanted = filter.value();
    navigate(`/console/webhooks/${webhook.id}${wanted ? `?${new URLSearchParams({ status: wanted })}` : ""}`);
  };
  const load = async (cursor) => {
    const { deliveries, next_cursor: next } = await api.get(`${base}/deliveries`, { limit: PAGE_SIZE, cursor, status: state }, signal);
    return { rows: deliveries, next };
  };
  return section(
    { class: "sections" },
    h2("Deliveries"),
    div({ class: "row filters", onchange: choose }, filter.node),
    await growingList(load, (rows) => tableOf("Deliveries", columns(base, mayReplay), rows, "Nothing was sent in the last 30 days.")),
  );
}
