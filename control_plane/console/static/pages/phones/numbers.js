/** The tenant's numbers. */

import {
  act, actIfConfirmed, actionColumn, api, badge, choiceField, code, formDialog, mayAdminister, quiet, savingChoice,
  sentence, small, tablePart, textField,
} from "../../kit.js";

const PROOFS = {
  operator: "Given by the operator",
  carrier: "In your account",
  webhook: "The carrier has called it",
};

const addressOf = ({ number }) => `/v1/numbers/${encodeURIComponent(number)}`;

/** What came of the carrier's webhook, for a person. */
function webhookWords(webhook) {
  if (!webhook) return "The number is registered";
  if (webhook.status === "configured") return "Calls to the number come here now";
  if (webhook.status === "no_carrier") return "The number is registered. Connect its carrier, then set it up.";
  if (webhook.status === "manual_required")
    return `Enter ${webhook.webhookUrl} as the number's voice webhook in the carrier's console`;
  return `The number is registered, but its webhook is not set: ${webhook.error}`;
}

export const registerNumber = (agents) =>
  formDialog("Register a number", {
    about: "A number that you have at your carrier. With an agent, the carrier's webhook is set at once.",
    fields: [
      textField("number", "Number", { type: "tel", hint: "With + and the country code: +14155550100." }),
      choiceField("agent_id", "Agent", [["", "None yet"], ...agents], { mayBeNull: true }),
    ],
    send: (given) => api.post("/v1/numbers", given),
    words: "Register",
    told: ({ webhook }) => webhookWords(webhook),
  });

const give = (row, agentId) =>
  agentId
    ? act(() => api.post(`${addressOf(row)}/attach`, { agent_id: agentId }), ({ webhook }) => webhookWords(webhook))
    : act(() => api.post(`${addressOf(row)}/detach`), "No agent answers the number any more");

const setUp = (row) => act(() => api.post(`${addressOf(row)}/webhook`), ({ webhook }) => webhookWords(webhook));

const remove = (row) =>
  actIfConfirmed([`Remove ${row.number}?`, "Nothing is changed at the carrier.", "Remove"], () => api.delete(addressOf(row)));

function agentCell(row, agents) {
  const name = agents.find(({ id }) => id === row.agent_id)?.name;
  if (!mayAdminister()) return name ?? "–";
  const value = row.agent_id ?? "";
  const choices = [["", "None"], ...agents, ...(value && !name ? [[value, value]] : [])];
  return savingChoice(`Agent of ${row.number}`, value, choices, (agentId) => give(row, agentId));
}

function webhookCell({ webhook_status: status, webhook_error: error }) {
  if (!status) return "–";
  const words = status === "manual_required" ? "By hand" : sentence(status);
  return [badge(status === "configured" ? "completed" : status, words), error && quiet(error)];
}

const columns = (agents) => [
  ["Number", "number", "main", code],
  ["Agent", (row) => agentCell(row, agents)],
  ["Carrier", "carrier"],
  ["Proof", ({ verified_by: proof }) => PROOFS[proof] ?? "Not yet: no call comes or goes"],
  ["Webhook", webhookCell],
  actionColumn(
    (row) => mayAdminister() && [small("Set up", () => setUp(row)), !row.is_managed && small("Remove", () => remove(row))],
  ),
];

export const numberTable = (numbers, agents) =>
  tablePart("Numbers", columns(agents), numbers, "No numbers are registered.");
