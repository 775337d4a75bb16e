/** What can be done with an agent as a whole. */

import { act, actIfConfirmed, api, navigate, press } from "../../kit.js";

const clone = ({ id }) =>
  act(
    () => api.post(`/v1/agents/${id}/clone`),
    "This is the copy",
    (copy) => navigate(`/console/agents/${copy.id}`),
  );

const remove = ({ id, name }) =>
  actIfConfirmed(
    [`Delete ${name}?`, "It takes no more calls. Its past calls stay.", "Delete the agent"],
    () => api.delete(`/v1/agents/${id}`),
    `${name} is deleted`,
    () => navigate("/console/agents"),
  );

export const agentActions = (agent) => [
  press("Copy", () => clone(agent)),
  press("Delete", () => remove(agent)),
];
