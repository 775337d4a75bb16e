/** Alerts about spending, and what they are about. */

import {
  act, actionColumn, ago, api, badge, checkField, formOf, linesField, mayAdminister, money, numberField, part, quiet,
  saving, small, tablePart,
} from "../../kit.js";

const WORDS = {
  monthly_spend: ({ amount_usd, threshold_usd }) =>
    `Calls have cost ${money(amount_usd)} this month; you asked to be told at ${money(threshold_usd)}.`,
  low_balance: ({ amount_usd, threshold_usd }) =>
    `The balance is ${money(amount_usd)}; you asked to be told at ${money(threshold_usd)}.`,
  hourly_velocity: ({ amount_usd, threshold_usd }) =>
    `Calls cost ${money(amount_usd)} within an hour. For you, ${money(threshold_usd)} is unusual already.`,
};

const acknowledge = (id) => act(() => api.post(`/v1/billing/spend-alerts/${id}/acknowledge`));

const COLUMNS = [
  ["Alert", (row) => WORDS[row.alert_type]?.(row) ?? row.alert_type, "main"],
  ["When", "created_at", "when", ago],
  ["Severity", ({ severity }) => (severity === "critical" ? badge("failed", "Critical") : badge("warning"))],
  actionColumn((row) => (row.acknowledged_at ? "Seen" : mayAdminister() && small("Mark as seen", () => acknowledge(row.id)))),
];

export const alertSection = ({ unacknowledged, recent }) =>
  tablePart("Alerts", COLUMNS, [...unacknowledged, ...recent], "No alerts.");

export function alertSettings(settings) {
  const fields = [
    linesField("thresholds_usd", "Dollars a month", {
      hint: "One amount a line, ten at most. You are told when calls have cost so much since the month began.",
    }),
    numberField("low_balance_pct", "Percent of the last top-up", {
      hint: "You are told when the balance is at or below this percent of the last top-up. 0: never.",
      min: 0,
      max: 100,
      step: 1,
    }),
    checkField("email_enabled", "Mail each alert to owners and admins"),
  ];
  const save = saving(
    (wanted) => api.put("/v1/billing/alerts", { ...wanted, thresholds_usd: wanted.thresholds_usd.map(Number) }),
    "Saved",
  );
  return part(
    "What you are told",
    quiet("You are also told when calls cost much more within an hour than is usual for you."),
    formOf(fields, save, { values: settings }),
  );
}
