/** The first look: what to do next, money, and the last two weeks. */

import { callList } from "../../components/call_list.js";
import {
  a, clock, figures, hint, icon, later, linkButton, money, number, pageHead, partWith, session,
} from "../../kit.js";
import { charts } from "./charts.js";
import { byDay, callsSince, dailyLatencies, daysBack, totals } from "./days.js";
import { nextSteps } from "./next_steps.js";

const DAYS = 14;
const RECENT = 5;

const amounts = (balance, sums) => [
  ["Credit left", money(balance.available_usd)],
  [`Spent in ${DAYS} days`, money(sums.spent)],
  ["Calls", number(sums.calls)],
  ["Minutes", number(Math.round(sums.seconds / 60))],
  ["Average call", clock(sums.answered ? sums.seconds / sums.answered : null)],
  ["Answered", sums.ended ? `${Math.round((100 * sums.answered) / sums.ended)} %` : "–"],
];

export async function page({ signal, get }) {
  const [balance, { calls, isWhole }, { total: agents }, latencies] = await Promise.all([
    get("/v1/billing/balance"),
    callsSince(daysBack(DAYS - 1), get),
    get("/v1/agents", { limit: 1 }),
    dailyLatencies(DAYS, get),
  ]);
  const days = byDay(calls, DAYS);
  const isNew = balance.tenant_state !== "has_calls";
  return [
    pageHead("Home", {
      about: session().tenant.name,
      actions: linkButton("/console/agents/new", [icon("plus"), "New agent"], "primary"),
    }),
    isNew && later(nextSteps(agents, get)),
    figures(amounts(balance, totals(days))),
    !isNew && charts(days, latencies),
    !isWhole && hint(`Counted are the newest ${number(calls.length)} calls.`),
    !isNew &&
      partWith("Latest calls", a({ href: "/console/calls" }, "All calls"), later(callList({ query: {}, signal, most: RECENT }))),
  ];
}
