/** Plans, amounts to top up, taxes. */

import {
  actIfConfirmed, actionColumn, checkField, formDialog, minorMoney, money, number, numberField, partWith, small,
  tableOf, textField,
} from "../../kit.js";
import { operatorApi } from "./operator_api.js";

const count = (value) => (value === null ? "As the installation" : value === 0 ? "No limit" : number(value));
const yes = (value) => (value ? "Yes" : "No");
const limit = (field, words) => numberField(field, words, { min: 0, step: 1, mayBeNull: true, hint: "Empty: as the installation is set. 0: no limit." });

/** US dollars for a person, cents for the API. */
function dollarsField(field, words, options) {
  const built = numberField(field, words, { step: 0.01, ...options });
  return { ...built, value: () => Math.round(built.value() * 100) };
}

const addPlan = () =>
  formDialog("New plan", {
    about: "Plans never change, so that tenants keep the terms that they agreed to.",
    fields: [
      textField("display_name", "Name"),
      textField("id", "Id", { hint: "What the API calls it, for example: growth." }),
      numberField("monthly_credit_usd", "US dollars of credit a month", { min: 0 }),
      checkField("byok_allowed", "Tenants may use provider keys of their own"),
      limit("calls_at_once", "Calls at once, at most"),
      limit("calls_not_joined", "Calls that nobody has joined yet, at most"),
      numberField("dispatch_weight", "Calls in one turn while calls wait", { min: 1, max: 100, step: 1 }),
      numberField("phone_numbers_max", "Phone numbers, at most", { min: 0, step: 1, mayBeNull: true, hint: "Empty: no limit." }),
    ],
    values: { monthly_credit_usd: 0, byok_allowed: true, dispatch_weight: 1 },
    send: (given) => operatorApi.post("/plans", given),
    words: "Add the plan",
    told: (plan) => `The plan ${plan.display_name} is there`,
  });

const addPack = () =>
  formDialog("New amount", {
    fields: [
      textField("display_name", "Name", { maxlength: 60 }),
      dollarsField("price_cents", "Price in US dollars", { min: 1, hint: "As much is added to the credit." }),
      dollarsField("bonus_cents", "Bonus in US dollars", { min: 0, hint: "Added for free." }),
    ],
    values: { bonus_cents: 0 },
    send: (given) => operatorApi.post("/topup-packs", given),
    words: "Offer it",
    told: "Tenants can choose the amount now",
  });

const addTax = () =>
  formDialog("New tax", {
    about: "It holds for payments that begin from now on.",
    fields: [
      textField("country", "Country", { maxlength: 2, hint: "Two letters, such as DE." }),
      textField("kind", "Name", { maxlength: 60, hint: "What invoices call it, such as VAT." }),
      numberField("percent", "Percent", { min: 0, max: 100 }),
      checkField("is_inclusive", "The prices of the amounts contain it"),
      checkField("reverse_charge", "A tenant with a tax number owes it itself"),
    ],
    send: (given) => operatorApi.post("/tax-rates", given),
    words: "Add the tax",
    told: "The tax holds from now on",
  });

const ending = (words, path, question) =>
  actionColumn((row) =>
    small(words, () => actIfConfirmed([question(row), "Payments that have begun keep it.", words], () => operatorApi.delete(`${path}/${row.id}`))),
  );

const PLAN_COLUMNS = [
  ["Plan", "display_name", "main"],
  ["Id", "id"],
  ["Credit a month", "monthly_credit_usd", "number", money],
  ["Own keys", (row) => yes(row.byok_allowed)],
  ["Calls at once", (row) => count(row.calls_at_once)],
  ["Numbers", (row) => (row.phone_numbers_max === null ? "No limit" : number(row.phone_numbers_max))],
];

const PACK_COLUMNS = [
  ["Amount", "display_name", "main"],
  ["Price", "price_cents", "number", minorMoney],
  ["Bonus", "bonus_cents", "number", minorMoney],
  ending("Withdraw", "/topup-packs", (row) => `Withdraw ${row.display_name}?`),
];

const TAX_COLUMNS = [
  ["Country", "country", "main"],
  ["Tax", "kind"],
  ["Percent", "percent", "number", number],
  ["In the price", (row) => yes(row.is_inclusive)],
  ["Reverse charge", (row) => yes(row.reverse_charge)],
  ending("End", "/tax-rates", (row) => `End ${row.kind} of ${row.country}?`),
];

const table = (title, columns, rows, empty, [words, add]) =>
  partWith(title, small(words, add), tableOf(title, columns, rows, empty));

export async function tab({ get }) {
  const [{ plans }, { packs }, { tax_rates: taxes }] = await Promise.all(
    ["/plans", "/topup-packs", "/tax-rates"].map((path) => get(path)),
  );
  return [
    table("Plans", PLAN_COLUMNS, plans, "No plans.", ["Add a plan", addPlan]),
    table("Amounts to top up", PACK_COLUMNS, packs, "None: tenants type an amount.", ["Offer an amount", addPack]),
    table("Taxes", TAX_COLUMNS, taxes, "No taxes: payments have none.", ["Add a tax", addTax]),
  ];
}
