/** Alerts about spending, and what they are about. */

import { badge } from "../../components/badge.js";
import { checkField, linesField, numberField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { report } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { ago, money } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { mayAdminister } from "../../core/session.js";

const { button, h2, p, section } = tags;

const WORDS = {
  monthly_spend: ({ amount_usd, threshold_usd }) =>
    `Calls have cost ${money(amount_usd)} this month; you asked to be told at ${money(threshold_usd)}.`,
  low_balance: ({ amount_usd, threshold_usd }) =>
    `The balance is ${money(amount_usd)}; you asked to be told at ${money(threshold_usd)}.`,
  hourly_velocity: ({ amount_usd, threshold_usd }) =>
    `Calls cost ${money(amount_usd)} within an hour. For you, ${money(threshold_usd)} is unusual already.`,
};

async function acknowledge(id) {
  try {
    await api.post(`/v1/billing/spend-alerts/${id}/acknowledge`);
    await refresh();
  } catch (error) {
    report(error);
  }
}

export function alertSection({ unacknowledged, recent }) {
  const columns = [
    { words: "Alert", kind: "main", cell: (row) => WORDS[row.alert_type]?.(row) ?? row.alert_type },
    { words: "When", cell: (row) => ago(row.created_at) },
    { words: "Severity", cell: (row) => badge(row.severity === "critical" ? "failed" : "warning", row.severity === "critical" ? "Critical" : "Warning") },
    {
      words: "",
      kind: "actions",
      cell: (row) => {
        if (row.acknowledged_at) return "Seen";
        return mayAdminister() ? button({ type: "button", class: "small", onclick: () => acknowledge(row.id) }, "Mark as seen") : null;
      },
    },
  ];
  return section(h2("Alerts"), tableOf("Alerts", columns, [...unacknowledged, ...recent], "No alerts."));
}

export function alertSettings(settings) {
  const thresholds = linesField("thresholds_usd", "Dollars a month", {
    hint: "One amount a line, ten at most. You are told when calls have cost so much since the month began.",
  });
  const percent = numberField("low_balance_pct", "Percent of the last top-up", {
    hint: "You are told when the balance is at or below this percent of the last top-up. 0: never.",
    min: 0,
    max: 100,
    step: 1,
  });
  const mails = checkField("email_enabled", "Mail each alert to owners and admins");
  thresholds.set(settings.thresholds_usd.map(String));
  percent.set(settings.low_balance_pct);
  mails.set(settings.email_enabled);
  const submit = async (wanted) => {
    await api.put("/v1/billing/alerts", { ...wanted, thresholds_usd: wanted.thresholds_usd.map(Number) });
    await refresh();
  };
  return section(
    h2("What you are told"),
    p({ class: "quiet" }, "You are also told when calls cost much more within an hour than is usual for you."),
    formOf([thresholds, percent, mails], submit, { words: "Save" }),
  );
}
