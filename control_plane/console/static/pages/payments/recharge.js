/** Charging the saved method while nobody is there. */

import {
  api, card, checkField, choiceField, formDialog, formOf, numberField, press, quiet, saving, textField,
} from "../../kit.js";
import { payAtGateway } from "./gateway.js";

/** What a recharge lacks, in words; `null` for nothing. */
function missing(settings, methods) {
  if (settings.mandate_required && !settings.has_mandate) return "Your bank wants a mandate first: it lets the bank know how much may be charged.";
  return methods.length ? null : "Nothing can be charged before a payment method is saved.";
}

/** Its first charge is a top-up, which the person pays at once. */
const registerMandate = ({ billing_phone: contact }) =>
  formDialog("Register a mandate", {
    about: "You pay a first top-up now. Your bank then lets automatic recharges through, up to the amount that you set.",
    fields: [
      numberField("first_charge_usd", "First top-up, in US dollars", { min: 1, max: 10_000 }),
      numberField("max_amount_usd", "Most that one recharge may take, in US dollars", { min: 1, max: 10_000 }),
      textField("contact", "Phone number", { type: "tel", autocomplete: "tel", hint: "The one that your bank knows." }),
      choiceField("method", "With", [["", "What you choose there"], ["card", "A card"], ["upi", "UPI"]], { mayBeNull: true }),
    ],
    values: { first_charge_usd: 20, max_amount_usd: 100, contact },
    send: (given) => payAtGateway("/v1/billing/mandate/register", given, { recurring: "1" }),
    words: "Go to the payment",
  });

export function rechargeForm(settings, methods) {
  const fields = [
    checkField("enabled", "Recharge by itself"),
    numberField("threshold_usd", "When less than", { hint: "US dollars of available credit.", min: 0, max: 100 }),
    numberField("pack_usd", "Add", { hint: "US dollars. More than the amount above.", min: 1, max: 1000 }),
  ];
  const save = saving((given) => api.put("/v1/billing/auto-recharge", given), "Automatic recharge is saved");
  const lack = missing(settings, methods);
  const mandate = settings.mandate_required && press("Register a mandate", () => registerMandate(settings));
  return card("Automatic recharge", lack && quiet(lack), formOf(fields, save, { values: settings, extra: [mandate] }));
}
