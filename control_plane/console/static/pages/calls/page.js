/** All calls, with filters that stand in the address. */

import { callList } from "../../components/call_list.js";
import { choiceField } from "../../components/fields.js";
import { pageHead } from "../../components/page_head.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { sentence } from "../../core/format.js";
import { navigate } from "../../core/router.js";

const { div } = tags;
const STATUSES = [
  "connecting",
  "queued",
  "ringing",
  "in_progress",
  "completed",
  "failed",
  "no_answer",
  "busy",
  "canceled",
];

function filters(agents, given) {
  const fields = [
    choiceField("status", "Status", [["", "All"], ...STATUSES.map((each) => [each, sentence(each)])]),
    choiceField("agent_id", "Agent", [["", "All"], ...agents.map(({ id, name }) => [id, name])]),
  ];
  for (const field of fields) field.set(given[field.name]);
  const onchange = () => {
    const chosen = fields.map((field) => [field.name, field.value()]).filter(([, value]) => value);
    const query = new URLSearchParams(chosen).toString();
    navigate(query ? `/console/calls?${query}` : "/console/calls");
  };
  return div({ class: "row filters", role: "search", onchange }, fields.map(({ node }) => node));
}

export async function page({ query, signal }) {
  const { agents } = await api.get("/v1/agents", { limit: 200 }, signal);
  const given = { status: query.get("status"), agent_id: query.get("agent_id") };
  return [pageHead("Calls"), filters(agents, given), await callList({ query: given, signal })];
}
