/** The tenant's numbers: register, give an agent, set the webhook, remove. */

import { badge } from "../../components/badge.js";
import { confirmed, openDialog } from "../../components/dialog.js";
import { choiceField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { report, tell } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { refresh } from "../../core/router.js";
import { mayAdminister } from "../../core/session.js";

const { button, code, div, option, p, select } = tags;

const PROOFS = {
  operator: "Given by the operator",
  carrier: "In your account",
  webhook: "The carrier has called it",
};
const STATES = {
  configured: "Configured",
  manual_required: "By hand",
  failed: "Failed",
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

async function act(work) {
  try {
    const answer = await work();
    await refresh();
    return answer;
  } catch (error) {
    report(error);
    return null;
  }
}

export async function registerNumber(agents) {
  const done = await openDialog("Register a number", (close) => {
    const fields = [
      textField("number", "Number", { required: true, type: "tel", hint: "With + and the country code: +14155550100." }),
      choiceField("agent_id", "Agent", [["", "None yet"], ...agents.map(({ id, name }) => [id, name])], { mayBeNull: true }),
    ];
    const send = async (given) => close(await api.post("/v1/numbers", given));
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return [
      p({ class: "quiet" }, "A number that you have at your carrier. With an agent, the carrier's webhook is set at once."),
      formOf(fields, send, { words: "Register", extra: [cancel] }),
    ];
  });
  if (!done) return;
  await refresh();
  tell(webhookWords(done.webhook));
}

async function give(row, agentId) {
  const answer = agentId
    ? await act(() => api.post(`${addressOf(row)}/attach`, { agent_id: agentId }))
    : await act(() => api.post(`${addressOf(row)}/detach`));
  if (answer) tell(agentId ? webhookWords(answer.webhook) : "No agent answers the number any more");
}

async function setUp(row) {
  const answer = await act(() => api.post(`${addressOf(row)}/webhook`));
  if (answer) tell(webhookWords(answer.webhook));
}

async function remove(row) {
  const words = "Nothing is changed at the carrier.";
  if (await confirmed(`Remove ${row.number}?`, words, "Remove")) await act(() => api.delete(addressOf(row)));
}

function agentCell(row, agents) {
  const name = agents.find(({ id }) => id === row.agent_id)?.name;
  if (!mayAdminister()) return name ?? "–";
  return select(
    { onchange: (event) => give(row, event.target.value), value: row.agent_id ?? "", "aria-label": `Agent of ${row.number}` },
    option({ value: "" }, "None"),
    agents.map((each) => option({ value: each.id }, each.name)),
    row.agent_id && !name && option({ value: row.agent_id }, row.agent_id),
  );
}

function webhookCell({ webhook_status: status, webhook_error: error }) {
  if (!status) return "–";
  const kind = status === "configured" ? "completed" : status;
  return [badge(kind, STATES[status]), error && p({ class: "quiet" }, error)];
}

const columns = (agents) => [
  { words: "Number", kind: "main", cell: ({ number }) => code(number) },
  { words: "Agent", cell: (row) => agentCell(row, agents) },
  { words: "Carrier", cell: ({ carrier }) => carrier ?? "–" },
  { words: "Proof", cell: ({ verified_by: proof }) => PROOFS[proof] ?? "Not yet: no call comes or goes" },
  { words: "Webhook", cell: webhookCell },
  {
    words: "",
    kind: "actions",
    cell: (row) =>
      mayAdminister() &&
      div(
        { class: "buttons" },
        button({ type: "button", class: "small", onclick: () => setUp(row) }, "Set up"),
        !row.is_managed && button({ type: "button", class: "small", onclick: () => remove(row) }, "Remove"),
      ),
  },
];

export const numberTable = (numbers, agents) =>
  tableOf("Numbers", columns(agents), numbers, "No numbers are registered.");
