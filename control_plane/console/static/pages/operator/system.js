/** Whether new calls are taken, the media workers with their slots, and the calls that wait. */

import { badge } from "../../components/badge.js";
import { textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { tell } from "../../components/notices.js";
import { problemNotice } from "../../components/problem.js";
import { tableOf } from "../../components/table.js";
import { fill, tags } from "../../core/elements.js";
import { ago, number, sentence } from "../../core/format.js";
import { repeat } from "../../core/repeat.js";
import { refresh } from "../../core/router.js";
import { operatorApi } from "./operator_api.js";

const { code, dd, div, dl, dt, h2, p, section } = tags;
const ASK_EVERY_MS = 2000;

function switchCard({ calls_enabled: isOn, message, updated_at: at }) {
  const words = textField("message", "What callers are told", {
    mayBeNull: true,
    maxlength: 500,
    hint: "For example: Maintenance until 18:00 UTC.",
  });
  const turn = async ({ message: told }) => {
    await operatorApi.put("/platform", { calls_enabled: !isOn, message: isOn ? told : null });
    await refresh();
    tell(isOn ? "New calls are refused now" : "New calls are taken again");
  };
  const form = isOn
    ? formOf([words], turn, { words: "Stop new calls", kind: "danger" })
    : formOf([], turn, { words: "Take new calls again" });
  return section(
    { class: "card" },
    div({ class: "card-head" }, h2("New calls"), badge(isOn ? "verified" : "failed", isOn ? "Taken" : "Stopped")),
    p({ class: "quiet" }, isOn ? "Calls that run go on when new ones are stopped." : `Since ${ago(at)}. ${message ?? ""}`),
    form,
  );
}

const WORKER_COLUMNS = [
  { words: "Worker", kind: "main", cell: (row) => row.id },
  { words: "State", cell: (row) => badge(row.state === "ready" ? "verified" : row.state, sentence(row.state)) },
  { words: "Calls", kind: "number", cell: (row) => `${row.slots_used} of ${row.slots_total}` },
  { words: "Takes none because", cell: (row) => (row.claims_nothing_because ? `${sentence(row.claims_nothing_because)}, ${number(Math.round(row.claims_nothing_seconds))} s` : "–") },
  { words: "Heard", kind: "when", cell: (row) => ago(row.heard_at) },
];

const WAITING_COLUMNS = [
  { words: "Tenant", kind: "main", cell: (row) => code(row.tenant_id) },
  { words: "Calls that wait", kind: "number", cell: (row) => number(row.calls) },
];

function load({ workers, waiting, longest_wait_seconds: longest }) {
  const sum = (rows, name) => rows.reduce((all, row) => all + row[name], 0);
  const figures = [
    ["Workers", number(workers.length)],
    ["Slots", number(sum(workers, "slots_total"))],
    ["In use", number(sum(workers, "slots_used"))],
    ["Calls that wait", number(sum(waiting, "calls"))],
    ["Longest wait", `${number(Math.round(longest))} s`],
  ];
  return [
    dl({ class: "figures" }, figures.map(([term, value]) => div(dt(term), dd(value)))),
    tableOf("Workers", WORKER_COLUMNS, workers, "No media worker is there: no call can begin."),
    waiting.length > 0 && tableOf("Calls that wait", WAITING_COLUMNS, waiting, ""),
  ];
}

export async function tab({ signal }) {
  const platform = await operatorApi.get("/platform", {}, signal);
  const place = div({ class: "sections" });
  const show = async () => {
    try {
      fill(place, load(await operatorApi.get("/workers", {}, signal)));
    } catch (error) {
      if (error.name !== "AbortError") fill(place, problemNotice(error));
    }
  };
  await show();
  repeat(show, ASK_EVERY_MS, signal);
  return [place, switchCard(platform)];
}
