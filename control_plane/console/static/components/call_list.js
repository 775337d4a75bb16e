/** Calls, the newest first, which change by themselves while somebody looks. */

import { api } from "../core/api.js";
import { a, div, fill } from "../core/elements.js";
import { ago, clock, money, sentence } from "../core/format.js";
import { repeat } from "../core/repeat.js";
import { badge } from "./badge.js";
import { buttons, press } from "./buttons.js";
import { parts } from "./cards.js";
import { report } from "./notices.js";
import { tableOf } from "./table.js";

const PAGE_SIZE = 30;
const MOST = 500;
const ASK_EVERY_MS = 4000;

/** Names of agents by id. */
const names = new Map();

async function agentNames(signal) {
  const { agents } = await api.get("/v1/agents", { limit: MOST }, signal);
  for (const { id, name } of agents) names.set(id, name);
}

function columns(showsAgent) {
  const link = (row, words) => a({ href: `/console/calls/${row.id}` }, words);
  const first = showsAgent
    ? [
        ["Agent", (row) => link(row, names.get(row.agent_id) ?? "Deleted agent"), "main"],
        ["When", "created_at", "when", ago],
      ]
    : [["When", (row) => link(row, ago(row.created_at)), "main"]];
  return [
    ...first,
    ["Status", (row) => badge(row.status)],
    ["With", (row) => row.primary_participant?.identity ?? "–"],
    ["Ended by", (row) => sentence(row.end_reason)],
    ["Duration", "bill_duration", "number", clock],
    ["Cost", "total_cost", "number", money],
  ];
}

/**
 * @param query filters of `GET /v1/calls`.
 * @param most shows only so many, without a way to more.
 */
export async function callList({ query, signal, showsAgent = true, most = Infinity }) {
  const place = div();
  const foot = buttons();
  const rows = new Map();
  let next = null;
  let size = 0;
  let shown = "";

  const ask = (cursor, limit) => api.get("/v1/calls", { ...query, limit, cursor }, signal);

  function show() {
    const sorted = [...rows.values()].sort((one, other) => other.created_at.localeCompare(one.created_at)).slice(0, most);
    const state = JSON.stringify(sorted);
    // A table that is built again loses the keyboard's focus.
    if (state === shown && sorted.length) return;
    shown = state;
    const at = document.activeElement?.closest?.("td") && document.activeElement.getAttribute("href");
    fill(place, tableOf("Calls", columns(showsAgent), sorted, "No calls here yet."));
    if (at) place.querySelector(`a[href="${CSS.escape(at)}"]`)?.focus();
    fill(foot, next !== null && most === Infinity && press("Show more", more));
  }

  async function more() {
    size += PAGE_SIZE;
    try {
      const page = await ask(next, PAGE_SIZE);
      for (const call of page.calls) rows.set(call.id, call);
      next = page.next_cursor;
      show();
    } catch (error) {
      report(error);
    }
  }

  async function renew() {
    const asked = size;
    const { calls, next_cursor: cursor } = await ask(null, Math.min(asked, MOST));
    if (calls.some(({ agent_id: id }) => !names.has(id))) await agentNames(signal);
    for (const { agent_id: id } of calls) names.set(id, names.get(id));
    if (asked !== size) return;
    if (asked <= MOST) {
      rows.clear();
      next = cursor;
    }
    for (const call of calls) rows.set(call.id, call);
    show();
  }

  await agentNames(signal);
  await more();
  repeat(renew, ASK_EVERY_MS, signal);
  return parts(place, foot);
}
