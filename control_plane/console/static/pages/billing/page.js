/** Money: what is left and for how long, what was spent on what, alerts, and each transaction. */

import { pageHead } from "../../components/page_head.js";
import { report } from "../../components/notices.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { dateTime, money, number, sentence } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { mayAdminister } from "../../core/session.js";
import { alertSettings, alertSection } from "./alerts.js";
import { spendSection } from "./spend.js";
import { transactionSection } from "./transactions.js";

const { a, button, dd, div, dl, dt, h2, p, section } = tags;
const TONES = { ok: "Enough", low: "Low", critical: "Critical" };

function runway({ runway_days_estimate: days }) {
  return days === null ? "Known after seven days with calls in a row" : `About ${number(days)} days`;
}

function figures(balance, plan) {
  const shown = [
    ["Credit left", money(balance.balance_usd)],
    ["Available now", money(balance.available_usd)],
    ["State", TONES[balance.tone] ?? sentence(balance.tone)],
    ["Lasts", runway(balance)],
    ["Plan credit", money(plan.monthly_credit_remaining_cents / 100)],
    ["Free credit", money((balance.free_credits - balance.plan_credits) / 100)],
    ["Top-up credit", money(plan.topup_balance_cents / 100)],
  ];
  return dl({ class: "figures" }, shown.map(([term, value]) => div(dt(term), dd(value))));
}

async function setExtraUsage(enabled) {
  try {
    await api.put("/v1/billing/extra-usage", { enabled });
    await refresh();
  } catch (error) {
    report(error);
  }
}

function planSection(plan) {
  const isOn = plan.extra_usage_enabled;
  const renewed = plan.monthly_credit_resets_at;
  return section(
    h2(`Plan: ${plan.plan.display_name}`),
    p(
      renewed
        ? `It includes ${money(plan.plan.monthly_credit_cents / 100)} a month. What is left expires on ${dateTime(renewed)}.`
        : "It includes no monthly credit.",
    ),
    p(
      isOn
        ? "When plan and free credit are used up, calls go on to top-up credit."
        : "Calls stop when plan and free credit are used up.",
    ),
    mayAdminister() &&
      button(
        { type: "button", class: "small", onclick: () => setExtraUsage(!isOn) },
        isOn ? "Stop at the included credit" : "Go on to top-up credit",
      ),
  );
}

export async function page({ query, signal }) {
  const by = ["day", "agent", "model"].includes(query.get("by")) ? query.get("by") : "day";
  const [balance, plan, spend, raised, settings] = await Promise.all([
    api.get("/v1/billing/balance", {}, signal),
    api.get("/v1/billing/plan", {}, signal),
    api.get("/v1/billing/spend", { by }, signal),
    api.get("/v1/billing/spend-alerts", {}, signal),
    api.get("/v1/billing/alerts", {}, signal),
  ]);
  return [
    pageHead("Billing", {
      actions: a({ href: "/v1/billing/export.csv", class: "button", download: "calls.csv" }, "Export calls"),
    }),
    figures(balance, plan),
    alertSection(raised),
    spendSection(spend),
    planSection(plan),
    mayAdminister() && alertSettings(settings),
    await transactionSection(signal),
  ].filter(Boolean);
}
