/** Who has changed what. */

import { dateTime, filters, pagedTable, pageHead, tags, textField } from "../../kit.js";

const { code, details, pre, summary } = tags;

function changes(entry) {
  const told = Object.keys(entry.changes).length;
  return told ? details(summary("Show"), pre(JSON.stringify(entry.changes, null, 2))) : "–";
}

const COLUMNS = [
  ["Action", "action", "main", code],
  ["When", "created_at", "when", dateTime],
  ["Who", "actor_label"],
  ["Address", "address"],
  ["What", "target_id", "long"],
  ["Changes", changes, "long"],
];

export async function page({ query, signal }) {
  const action = textField("action", "Action", { hint: "For example: agent.published", type: "search", required: false });
  const asked = { path: "/v1/audit-log", list: "entries", query: { action: query.get("action") }, empty: "Nothing here.", signal };
  return [
    pageHead("Audit log"),
    filters("/console/audit-log", [action], query),
    await pagedTable("Audit log", COLUMNS, asked),
  ];
}
