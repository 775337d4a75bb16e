/** Money: what is left, what was spent, alerts, transactions. */

import {
  act, api, buttons, dateTime, figures, linkButton, mayAdminister, minorMoney, money, number, p, pageHead, part,
  sentence, small,
} from "../../kit.js";
import { alertSettings, alertSection } from "./alerts.js";
import { spendSection } from "./spend.js";
import { transactionSection } from "./transactions.js";

function runway({ runway_days_estimate: days }) {
  return days === null ? "Known after seven days with calls in a row" : `About ${number(days)} days`;
}

const amounts = (balance, plan) => [
  ["Credit left", money(balance.balance_usd)],
  ["Available now", money(balance.available_usd)],
  ["State", balance.tone === "ok" ? "Enough" : sentence(balance.tone)],
  ["Lasts", runway(balance), "text"],
  ["Plan credit", minorMoney(plan.monthly_credit_remaining_cents)],
  ["Free credit", minorMoney(balance.free_credits - balance.plan_credits)],
  ["Top-up credit", minorMoney(plan.topup_balance_cents)],
];

function planSection({ plan, extra_usage_enabled: isOn, monthly_credit_resets_at: renewed }) {
  const change = () => act(() => api.put("/v1/billing/extra-usage", { enabled: !isOn }));
  return part(
    `Plan: ${plan.display_name}`,
    p(
      renewed
        ? `It includes ${minorMoney(plan.monthly_credit_cents)} a month. What is left expires on ${dateTime(renewed)}.`
        : "It includes no monthly credit.",
    ),
    p(isOn ? "When plan and free credit are used up, calls go on to top-up credit." : "Calls stop when plan and free credit are used up."),
    mayAdminister() && buttons(small(isOn ? "Stop at the included credit" : "Go on to top-up credit", change)),
  );
}

export async function page({ query, get }) {
  const by = ["day", "agent", "model"].includes(query.get("by")) ? query.get("by") : "day";
  const ask = (path, asked) => get(`/v1/billing/${path}`, asked);
  const [balance, plan, spend, raised, settings] = await Promise.all([
    ask("balance"),
    ask("plan"),
    ask("spend", { by }),
    ask("spend-alerts"),
    ask("alerts"),
  ]);
  return [
    pageHead("Billing", {
      actions: linkButton("/v1/billing/export.csv", "Export calls", "", { download: "calls.csv" }),
    }),
    figures(amounts(balance, plan)),
    alertSection(raised),
    spendSection(spend),
    planSection(plan),
    mayAdminister() && alertSettings(settings),
    await transactionSection(get),
  ];
}
