/** What calls cost in the last 30 days: by day, agent or model. */

import { tableOf } from "../../components/table.js";
import { tags } from "../../core/elements.js";
import { exactMoney, number } from "../../core/format.js";

const { a, h2, nav, p, section } = tags;
const GROUPINGS = [
  ["day", "By day"],
  ["agent", "By agent"],
  ["model", "By model"],
];

function name(by, group) {
  if (by === "agent") return a({ href: `/console/agents/${group.key}` }, group.name ?? group.key);
  return by === "model" ? group.key.replaceAll("/", " ") : group.key;
}

export function spendSection(spend) {
  const columns = [
    { words: spend.by === "day" ? "Day (UTC)" : spend.by === "agent" ? "Agent" : "Model", kind: "main", cell: (row) => name(spend.by, row) },
    { words: "Calls", cell: (row) => number(row.calls) },
    { words: "Minutes", cell: (row) => number(row.minutes) },
    { words: "Cost", cell: (row) => exactMoney(row.spend_usd) },
  ];
  return section(
    h2("Spending"),
    p({ class: "quiet" }, `${exactMoney(spend.total_usd)} from ${spend.from} to ${spend.to}`),
    nav(
      { class: "tabs", "aria-label": "Spending" },
      GROUPINGS.map(([by, words]) =>
        a({ href: `/console/billing?by=${by}`, "aria-current": by === spend.by ? "page" : null }, words),
      ),
    ),
    tableOf("Spending", columns, spend.groups, "No call has cost anything in these days."),
  );
}
