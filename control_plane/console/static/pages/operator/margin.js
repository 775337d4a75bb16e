/** What calls brought in, and what their providers cost. */

import { choiceField, exactMoney, filters, hint, number, part, quiet, tableOf, textField } from "../../kit.js";

const KEYS = { day: "Day (UTC)", tenant: "Tenant", agent: "Agent", model: "Model" };

const columns = (by) => [
  [KEYS[by], ({ key }) => (by === "model" ? key.replaceAll("/", " ") : key), "main"],
  ["Calls", "calls", "number", number],
  ["Minutes", "minutes", "number", number],
  ["Revenue", "revenue_usd", "number", exactMoney],
  ["Planned cost", "planned_cost_usd", "number", exactMoney],
  ["Actual cost", "actual_cost_usd", "number", exactMoney],
  ["Margin", "actual_margin_usd", "number", exactMoney],
];

const words = ({ revenue_usd: revenue, planned_margin_usd: planned, actual_margin_usd: actual }) =>
  `Revenue ${exactMoney(revenue)}, margin ${exactMoney(actual)}; as planned it was ${exactMoney(planned)}.`;

export async function tab({ query, get }) {
  const fields = [
    choiceField("by", "By", Object.entries(KEYS)),
    textField("from", "From", { type: "date", required: false }),
    textField("to", "To", { type: "date", required: false }),
  ];
  const [row, asked] = filters(fields, query);
  const { by, from, to, total, groups } = await get("/margin", asked);
  const unknown = total.calls_of_unknown_cost;
  return part(
    "Margin",
    row,
    quiet(`From ${from} to ${to}. ${words(total)}`),
    tableOf("Margin", columns(by), groups, "No call has ended in these days."),
    unknown > 0 && hint(`Of ${number(unknown)} parts of calls the actual cost is not known: their models have no unit price, or told no use.`),
  );
}
