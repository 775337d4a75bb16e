/** All calls, with filters that stand in the address. */

import { callList } from "../../components/call_list.js";
import { api, CALL_STATUSES, choiceField, filters, pageHead } from "../../kit.js";

export async function page({ query, signal }) {
  const { agents } = await api.get("/v1/agents", { limit: 500 }, signal);
  const fields = [
    choiceField("status", "Status", [["", "All"], ...CALL_STATUSES]),
    choiceField("agent_id", "Agent", [["", "All"], ...agents.map(({ id, name }) => [id, name])]),
  ];
  const given = { status: query.get("status"), agent_id: query.get("agent_id") };
  return [pageHead("Calls"), filters("/console/calls", fields, query), await callList({ query: given, signal })];
}
