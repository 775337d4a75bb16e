/** All tenants, with a search that stands in the address, and credit for one of them. */

import {
  actionColumn, choiceField, dateTime, facts, formDialog, formOf, money, navigate, number, numberField, pagedTable,
  report, sentence, showDialog, small, tags, textField, withQuery,
} from "../../kit.js";
import { operatorApi } from "./operator_api.js";

const TENANTS = "/console/operator/tenants";

const grant = ({ id, name }) =>
  formDialog(`Credit for ${name}`, {
    fields: [
      numberField("amount_usd", "US dollars", { min: 0.01, max: 1_000_000, required: true }),
      textField("description", "What for", { required: true, maxlength: 500, hint: "The tenant reads it." }),
    ],
    send: (given) => operatorApi.post(`/tenants/${id}/credits`, given),
    words: "Give the credit",
    told: (granted) => `${name} has ${money(granted.balance_usd)} now`,
  });

const correct = ({ id, name }) =>
  formDialog(`Correction for ${name}`, {
    about: "Puts right what was posted wrongly. The tenant reads the reason and who decided it.",
    fields: [
      numberField("amount_usd", "US dollars", { required: true, hint: "Below 0 takes credit away." }),
      textField("reason", "Why", { required: true, maxlength: 500 }),
      textField("posted_by", "Decided by", { required: true, hint: "A name or a mail address." }),
      choiceField("bucket", "Where a positive amount goes", [
        ["free", "Free credit"],
        ["purchased", "Top-up credit"],
      ]),
      textField("corrects", "Transaction that was wrong", { mayBeNull: true, hint: "Its id, if there is one." }),
    ],
    send: (given) => operatorApi.post(`/tenants/${id}/corrections`, given),
    words: "Post the correction",
    told: (posted) => `${name} has ${money(posted.balance_usd)} now`,
  });

async function look({ id }) {
  try {
    const tenant = await operatorApi.get(`/tenants/${id}`);
    const details = [
      ["Owners", tenant.owner_emails.join(", ")],
      ["Tier", sentence(tenant.tier)],
      ["Calls", number(tenant.calls)],
      ["Running now", number(tenant.running_calls)],
      ["Calls at once, at most", tenant.calls_at_once === null ? "As its plan says" : number(tenant.calls_at_once)],
      ["Held by calls", money(tenant.held_usd)],
      ["Tenant", tags.code(tenant.id)],
    ];
    await showDialog(tenant.name, facts(details));
  } catch (error) {
    report(error);
  }
}

const COLUMNS = [
  ["Tenant", (row) => row.name, "main"],
  ["Plan", (row) => row.plan_id],
  ["Since", (row) => dateTime(row.created_at), "when"],
  ["Agents", (row) => number(row.agents), "number"],
  ["Calls, 30 days", (row) => number(row.calls_last_30_days), "number"],
  ["Credit left", (row) => money(row.available_usd), "number"],
  actionColumn((row) => [small("Details", () => look(row)), small("Credit", () => grant(row)), small("Correct", () => correct(row))]),
];

function searchForm(searched) {
  const field = textField("search", "Name, member's mail address or id", { type: "search", maxlength: 200 });
  const search = async (given) => navigate(withQuery(TENANTS, given));
  return tags.div(
    { class: "filters", role: "search" },
    formOf([field], search, { words: "Search", kind: "", values: { search: searched } }),
  );
}

export async function tab({ query, signal }) {
  const search = query.get("search");
  const asked = { path: "/tenants", list: "tenants", query: { search }, empty: "No such tenant.", signal, get: operatorApi.get };
  return [searchForm(search), await pagedTable("Tenants", COLUMNS, asked)];
}
