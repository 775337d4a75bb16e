/** What can be done with an agent as a whole. */

import { confirmed } from "../../components/dialog.js";
import { report, tell } from "../../components/notices.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { navigate } from "../../core/router.js";
import { mayAdminister } from "../../core/session.js";
import { share } from "./share.js";

const { button } = tags;

async function clone(agent) {
  try {
    const { id } = await api.post(`/v1/agents/${agent.id}/clone`);
    navigate(`/console/agents/${id}`);
    tell("This is the copy");
  } catch (error) {
    report(error);
  }
}

async function remove(agent) {
  const explanation = "It takes no more calls. Its past calls stay.";
  if (!(await confirmed(`Delete ${agent.name}?`, explanation, "Delete the agent"))) return;
  try {
    await api.delete(`/v1/agents/${agent.id}`);
    navigate("/console/agents");
    tell(`${agent.name} is deleted`);
  } catch (error) {
    report(error);
  }
}

export const agentActions = (agent) => [
  agent.published_version && mayAdminister() && button({ type: "button", onclick: () => share(agent) }, "Share link"),
  button({ type: "button", onclick: () => clone(agent) }, "Copy"),
  button({ type: "button", onclick: () => remove(agent) }, "Delete"),
];
