/** The first look: what to do next, money, and the last two weeks. */

import { callList } from "../../components/call_list.js";
import { icon } from "../../components/icon.js";
import { later } from "../../components/later.js";
import { pageHead } from "../../components/page_head.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { clock, money, number } from "../../core/format.js";
import { session } from "../../core/session.js";
import { barChart } from "./bar_chart.js";
import { byDay, callsSince, dailyLatencies, daysBack, totals } from "./days.js";
import { latencyChart } from "./latency_chart.js";
import { nextSteps } from "./next_steps.js";

const { a, dd, div, dl, dt, h2, p, section } = tags;
const DAYS = 14;
const RECENT = 5;

function figures(balance, sums) {
  const answered = sums.ended ? `${Math.round((100 * sums.answered) / sums.ended)} %` : "–";
  const shown = [
    ["Credit left", money(balance.available_usd)],
    [`Spent in ${DAYS} days`, money(sums.spent)],
    ["Calls", number(sums.calls)],
    ["Minutes", number(Math.round(sums.seconds / 60))],
    ["Average call", clock(sums.answered ? sums.seconds / sums.answered : null)],
    ["Answered", answered],
  ];
  return dl({ class: "figures" }, shown.map(([term, value]) => div(dt(term), dd(value))));
}

function charts(days, latencies) {
  const series = [
    ["Calls", (day) => day.calls, number],
    ["Minutes", (day) => day.seconds / 60, (minutes) => number(Math.round(minutes * 10) / 10)],
    ["Spend", (day) => day.spent, money],
  ];
  return div(
    { class: "columns charts" },
    series.map(([name, value, words]) => section({ class: "card" }, h2(name), barChart(name, days, value, words))),
    section({ class: "card" }, h2("Answered within"), latencyChart(latencies)),
  );
}

export async function page({ signal }) {
  const [balance, { calls, isWhole }, { total: agents }, latencies] = await Promise.all([
    api.get("/v1/billing/balance", {}, signal),
    callsSince(daysBack(DAYS - 1), signal),
    api.get("/v1/agents", { limit: 1 }, signal),
    dailyLatencies(DAYS, signal),
  ]);
  const days = byDay(calls, DAYS);
  const isNew = balance.tenant_state !== "has_calls";
  return [
    pageHead("Home", {
      about: session().tenant.name,
      actions: a({ href: "/console/agents/new", class: "button primary" }, icon("plus"), "New agent"),
    }),
    isNew && later(nextSteps(agents, signal)),
    figures(balance, totals(days)),
    !isNew && charts(days, latencies),
    !isWhole && p({ class: "hint" }, `Counted are the newest ${number(calls.length)} calls.`),
    !isNew && section({ class: "sections" }, div({ class: "card-head" }, h2("Latest calls"), a({ href: "/console/calls" }, "All calls")), later(callList({ query: {}, signal, most: RECENT }))),
  ];
}
