/** The switch of new calls, the media workers, the calls that wait. */

import {
  ago, badge, cardWith, code, figures, fill, formOf, number, parts, problemNotice, quiet, repeat, saving, sentence,
  tableOf, textField,
} from "../../kit.js";
import { operatorApi } from "./operator_api.js";

const ASK_EVERY_MS = 2000;

function switchCard({ calls_enabled: isOn, message, updated_at: at }) {
  const words = textField("message", "What callers are told", {
    mayBeNull: true,
    maxlength: 500,
    hint: "For example: Maintenance until 18:00 UTC.",
  });
  const turn = saving(
    ({ message: told }) => operatorApi.put("/platform", { calls_enabled: !isOn, message: isOn ? told : null }),
    isOn ? "New calls are refused now" : "New calls are taken again",
  );
  const form = isOn
    ? formOf([words], turn, { words: "Stop new calls", kind: "danger" })
    : formOf([], turn, { words: "Take new calls again" });
  return cardWith(
    "New calls",
    badge(isOn ? "verified" : "failed", isOn ? "Taken" : "Stopped"),
    quiet(isOn ? "Calls that run go on when new ones are stopped." : `Since ${ago(at)}. ${message ?? ""}`),
    form,
  );
}

function idleWords({ claims_nothing_because: why, claims_nothing_seconds: seconds }) {
  return why ? `${sentence(why)}, ${number(Math.round(seconds))} s` : "–";
}

const WORKER_COLUMNS = [
  ["Worker", "id", "main"],
  ["State", (row) => badge(row.state === "ready" ? "verified" : row.state, sentence(row.state))],
  ["Calls", (row) => `${row.slots_used} of ${row.slots_total}`, "number"],
  ["Takes none because", idleWords],
  ["Heard", "heard_at", "when", ago],
];

const WAITING_COLUMNS = [
  ["Tenant", "tenant_id", "main", code],
  ["Calls that wait", "calls", "number", number],
];

function load({ workers, waiting, longest_wait_seconds: longest }) {
  const sum = (rows, name) => rows.reduce((all, row) => all + row[name], 0);
  const sums = [
    ["Workers", number(workers.length)],
    ["Slots", number(sum(workers, "slots_total"))],
    ["In use", number(sum(workers, "slots_used"))],
    ["Calls that wait", number(sum(waiting, "calls"))],
    ["Longest wait", `${number(Math.round(longest))} s`],
  ];
  return [
    figures(sums),
    tableOf("Workers", WORKER_COLUMNS, workers, "No media worker is there: no call can begin."),
    waiting.length > 0 && tableOf("Calls that wait", WAITING_COLUMNS, waiting, ""),
  ];
}

export async function tab({ signal, get }) {
  const platform = await get("/platform");
  const place = parts();
  const show = async () => {
    try {
      fill(place, load(await get("/workers")));
    } catch (error) {
      if (error.name !== "AbortError") fill(place, problemNotice(error));
    }
  };
  await show();
  repeat(show, ASK_EVERY_MS, signal);
  return [place, switchCard(platform)];
}
