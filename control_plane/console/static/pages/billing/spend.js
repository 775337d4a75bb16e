/** What calls cost in the last 30 days: by day, agent or model. */

import { exactMoney, linkRow, number, part, quiet, tableOf, tags } from "../../kit.js";

const GROUPINGS = { day: "By day", agent: "By agent", model: "By model" };
const KEYS = { day: "Day (UTC)", agent: "Agent", model: "Model" };

function name(by, { key, name: words }) {
  if (by === "agent") return tags.a({ href: `/console/agents/${key}` }, words ?? key);
  return by === "model" ? key.replaceAll("/", " ") : key;
}

export function spendSection(spend) {
  const columns = [
    [KEYS[spend.by], (row) => name(spend.by, row), "main"],
    ["Calls", "calls", "number", number],
    ["Minutes", "minutes", "number", number],
    ["Cost", "spend_usd", "number", exactMoney],
  ];
  const links = Object.entries(GROUPINGS).map(([by, words]) => [`/console/billing?by=${by}`, words, by === spend.by]);
  return part(
    "Spending",
    quiet(`${exactMoney(spend.total_usd)} from ${spend.from} to ${spend.to}`),
    linkRow("Spending", links),
    tableOf("Spending", columns, spend.groups, "No call has cost anything in these days."),
  );
}
