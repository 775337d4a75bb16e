/** All tenants, with a search that stands in the address, and credit for one of them. */

import { openDialog } from "../../components/dialog.js";
import { numberField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { growingList } from "../../components/more.js";
import { report, tell } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { tags } from "../../core/elements.js";
import { dateTime, money, number, sentence } from "../../core/format.js";
import { navigate, refresh } from "../../core/router.js";
import { operatorApi } from "./operator_api.js";

const { button, code, dd, div, dl, dt } = tags;
const PAGE_SIZE = 50;

async function grant(tenant) {
  const granted = await openDialog(`Credit for ${tenant.name}`, (close) => {
    const fields = [
      numberField("amount_usd", "US dollars", { min: 0.01, max: 1_000_000, required: true }),
      textField("description", "What for", { required: true, maxlength: 500, hint: "The tenant reads it." }),
    ];
    const send = async (given) => close(await operatorApi.post(`/tenants/${tenant.id}/credits`, given));
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return formOf(fields, send, { words: "Give the credit", extra: [cancel] });
  });
  if (!granted) return;
  await refresh();
  tell(`${tenant.name} has ${money(granted.balance_usd)} now`);
}

async function look({ id }) {
  try {
    const tenant = await operatorApi.get(`/tenants/${id}`);
    const facts = [
      ["Owners", tenant.owner_emails.join(", ")],
      ["Tier", sentence(tenant.tier)],
      ["Calls", number(tenant.calls)],
      ["Running now", number(tenant.running_calls)],
      ["Calls at once, at most", tenant.calls_at_once === null ? "As its plan says" : number(tenant.calls_at_once)],
      ["Held by calls", money(tenant.held_usd)],
      ["Tenant", code(tenant.id)],
    ];
    await openDialog(tenant.name, (close) => [
      dl({ class: "facts" }, facts.map(([term, value]) => [dt(term), dd(value)])),
      div({ class: "buttons" }, button({ type: "button", onclick: () => close() }, "Close")),
    ]);
  } catch (error) {
    report(error);
  }
}

const COLUMNS = [
  { words: "Tenant", kind: "main", cell: (row) => row.name },
  { words: "Plan", cell: (row) => row.plan_id },
  { words: "Since", kind: "when", cell: (row) => dateTime(row.created_at) },
  { words: "Agents", kind: "number", cell: (row) => number(row.agents) },
  { words: "Calls, 30 days", kind: "number", cell: (row) => number(row.calls_last_30_days) },
  { words: "Credit left", kind: "number", cell: (row) => money(row.available_usd) },
  {
    words: "",
    kind: "actions",
    cell: (row) =>
      div(
        { class: "buttons" },
        button({ type: "button", class: "small", onclick: () => look(row) }, "Details"),
        button({ type: "button", class: "small", onclick: () => grant(row) }, "Credit"),
      ),
  },
];

function searchForm(searched) {
  const field = textField("search", "Name, member's mail address or id", { type: "search", maxlength: 200 });
  field.set(searched);
  const search = async ({ search: wanted }) =>
    navigate(wanted ? `/console/operator/tenants?${new URLSearchParams({ search: wanted })}` : "/console/operator/tenants");
  return div({ class: "filters", role: "search" }, formOf([field], search, { words: "Search", kind: "" }));
}

export async function tab({ query, signal }) {
  const searched = query.get("search");
  const load = async (offset) => {
    const page = { search: searched, limit: PAGE_SIZE, offset: offset ?? 0 };
    const { tenants, total } = await operatorApi.get("/tenants", page, signal);
    const reached = page.offset + tenants.length;
    return { rows: tenants, next: reached < total && tenants.length ? reached : null };
  };
  return [
    searchForm(searched),
    await growingList(load, (rows) => tableOf("Tenants", COLUMNS, rows, "No such tenant.")),
  ];
}
