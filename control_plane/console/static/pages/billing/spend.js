/** What calls cost in the last 30 days: by day, agent or model. */

import { a, exactMoney, linkRow, number, quiet, tablePart } from "../../kit.js";

const KEYS = { day: "Day (UTC)", agent: "Agent", model: "Model" };

function name(by, { key, name: words }) {
  if (by === "agent") return a({ href: `/console/agents/${key}` }, words ?? key);
  return by === "model" ? key.replaceAll("/", " ") : key;
}

export function spendSection(spend) {
  const columns = [
    [KEYS[spend.by], (row) => name(spend.by, row), "main"],
    ["Calls", "calls", "number", number],
    ["Minutes", "minutes", "number", number],
    ["Cost", "spend_usd", "number", exactMoney],
  ];
  const links = Object.keys(KEYS).map((by) => [`/console/billing?by=${by}`, `By ${by}`, by === spend.by]);
  const about = quiet(`${exactMoney(spend.total_usd)} from ${spend.from} to ${spend.to}`);
  return tablePart("Spending", columns, spend.groups, "No call has cost anything in these days.", about, linkRow("Spending", links));
}
