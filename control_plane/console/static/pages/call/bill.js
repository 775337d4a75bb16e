/** What the call cost, down to the price rows that it froze. */

import {
  billed, card, clock, code, dateTime, details, div, exactMoney, facts, h3, hint, li, number, summary, ul,
} from "../../kit.js";

const HOLDS = { open: "is held", settled: "was held, and settled by the charge", released: "was held, and given back" };

function amounts(usage) {
  const told = [
    usage.audio_ms && `${number(Math.round(usage.audio_ms / 1000))} s of audio`,
    usage.input_tokens && `${number(usage.input_tokens)} tokens in`,
    usage.output_tokens && `${number(usage.output_tokens)} tokens out`,
    usage.characters && `${number(usage.characters)} characters`,
  ];
  return told.filter(Boolean).join(", ") || "nothing";
}

function priceRow({ component, provider, model, price_per_min: rate, cost }) {
  const name = model === "no_charge" ? "no charge" : `${provider} ${model}`;
  return [[billed(component), hint(`${name}, ${exactMoney(rate)} a minute`)], exactMoney(cost)];
}

const agentRows = (agent, isOne) => [
  !isOne && h3(`${agent.agent_name}${agent.seconds === null ? "" : `, ${number(agent.seconds)} s`}`),
  facts(agent.prices.map(priceRow)),
];

/** From the total back to the rows of the catalogue. */
function origin({ charge, hold, agents }) {
  const rows = agents.flatMap(({ prices }) => prices);
  return details(
    summary("Where it comes from"),
    ul(
      { class: "origin" },
      charge && li(`Charged ${exactMoney(charge.amount)} for ${charge.seconds} s, ${dateTime(charge.created_at)}. Transaction `, code(charge.transaction_id)),
      hold && li(`${exactMoney(hold.amount)} of your credit ${HOLDS[hold.state]}.`),
      agents.map((each) => li(`${each.agent_name}, version ${each.agent_version}: ${exactMoney(each.price_per_min)} a minute from ${clock(each.from_seconds)} on, as the call froze it when it was created.`)),
      rows.map((row) => li(`Price of ${billed(row.component).toLowerCase()}${row.valid_from ? `, valid since ${dateTime(row.valid_from)}` : ""}: `, code(row.price_id))),
    ),
  );
}

/** @param bill as `GET /v1/calls/:id/bill` gives it. */
export function billCard(call, bill) {
  const used = call.usage.map((usage) =>
    hint(`${billed(usage.channel)} (${usage.provider} ${usage.model}): ${amounts(usage)}`),
  );
  return card(
    "Bill",
    bill.agents.map((agent) => agentRows(agent, bill.agents.length === 1)),
    facts([
      ["Billed time", clock(bill.billable_seconds)],
      bill.phone_cost > 0 && ["Of this for phones", exactMoney(bill.phone_cost)],
      ["Total", exactMoney(bill.total_cost), "total"],
    ]),
    origin(bill),
    used.length > 0 && div(h3("Used"), used),
  );
}
