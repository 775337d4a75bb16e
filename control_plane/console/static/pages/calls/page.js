/** All calls, with filters that stand in the address. */

import { callList } from "../../components/call_list.js";
import { CALL_STATUSES, choiceField, filters, pageHead } from "../../kit.js";

export async function page({ query, signal, get }) {
  const { agents } = await get("/v1/agents", { limit: 500 });
  const fields = [
    choiceField("status", "Status", [["", "All"], ...CALL_STATUSES]),
    choiceField("agent_id", "Agent", [["", "All"], ...agents]),
  ];
  const [row, asked] = filters(fields, query);
  return [pageHead("Calls"), row, await callList({ query: asked, signal })];
}
