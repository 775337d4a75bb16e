/** Who has changed what. */

import { code, dateTime, details, filters, pagedTable, pageHead, pre, summary, textField } from "../../kit.js";

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

export async function page({ query, get }) {
  const action = textField("action", "Action", { hint: "For example: agent.published", type: "search", required: false });
  const [row, asked] = filters([action], query);
  return [
    pageHead("Audit log"),
    row,
    await pagedTable("Audit log", COLUMNS, { path: "/v1/audit-log", list: "entries", query: asked, empty: "Nothing here.", get }),
  ];
}
