/** The agent's calls. */

import { callList } from "../../components/call_list.js";

export const tab = ({ agent, signal }) => callList({ query: { agent_id: agent.id }, signal, showsAgent: false });
