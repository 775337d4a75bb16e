/** All tenants, with a search, and credit for one of them. */

import {
  act, actionColumn, choiceField, code, dateTime, facts, filters, formDialog, money, number, numberField, pagedTable,
  sentence, showDialog, small, textField,
} from "../../kit.js";
import { operatorApi } from "./operator_api.js";

const leftWords = (name) => (posted) => `${name} has ${money(posted.balance_usd)} now`;

const grant = ({ id, name }) =>
  formDialog(`Credit for ${name}`, {
    fields: [
      numberField("amount_usd", "US dollars", { min: 0.01, max: 1_000_000 }),
      textField("description", "What for", { maxlength: 500, hint: "The tenant reads it." }),
    ],
    send: (given, once) => operatorApi.post(`/tenants/${id}/credits`, given, once),
    words: "Give the credit",
    told: leftWords(name),
  });

const correct = ({ id, name }) =>
  formDialog(`Correction for ${name}`, {
    about: "Puts right what was posted wrongly. The tenant reads the reason and who decided it.",
    fields: [
      numberField("amount_usd", "US dollars", { hint: "Below 0 takes credit away." }),
      textField("reason", "Why", { maxlength: 500 }),
      textField("posted_by", "Decided by", { hint: "A name or a mail address." }),
      choiceField("bucket", "Where a positive amount goes", [
        ["free", "Free credit"],
        ["purchased", "Top-up credit"],
      ]),
      textField("corrects", "Transaction that was wrong", { mayBeNull: true, hint: "Its id, if there is one." }),
    ],
    send: (given, once) => operatorApi.post(`/tenants/${id}/corrections`, given, once),
    words: "Post the correction",
    told: leftWords(name),
  });

const details = (tenant) => [
  ["Owners", tenant.owner_emails.join(", ")],
  ["Tier", sentence(tenant.tier)],
  ["Calls", number(tenant.calls)],
  ["Running now", number(tenant.running_calls)],
  ["Calls at once, at most", tenant.calls_at_once === null ? "As its plan says" : number(tenant.calls_at_once)],
  ["Held by calls", money(tenant.held_usd)],
  ["Tenant", code(tenant.id)],
];

const look = ({ id }) =>
  act(
    () => operatorApi.get(`/tenants/${id}`),
    null,
    (tenant) => showDialog(tenant.name, facts(details(tenant))),
  );

const COLUMNS = [
  ["Tenant", "name", "main"],
  ["Plan", "plan_id"],
  ["Since", "created_at", "when", dateTime],
  ["Agents", "agents", "number", number],
  ["Calls, 30 days", "calls_last_30_days", "number", number],
  ["Credit left", "available_usd", "number", money],
  actionColumn((row) => [small("Details", () => look(row)), small("Credit", () => grant(row)), small("Correct", () => correct(row))]),
];

export async function tab({ query, get }) {
  const field = textField("search", "Name, member's mail address or id", { type: "search", required: false, maxlength: 200 });
  const [row, asked] = filters([field], query);
  return [row, await pagedTable("Tenants", COLUMNS, { path: "/tenants", query: asked, empty: "No such tenant.", get })];
}
