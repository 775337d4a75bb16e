/** Charging the saved method while nobody is there. */

import { api, card, checkField, formOf, numberField, quiet, refresh, tell } from "../../kit.js";

/** What has to be there before a recharge can be made; `null` if nothing is missing. */
function missing(settings, methods) {
  if (settings.mandate_required && !settings.has_mandate) return "Your bank wants a mandate first. Register one through the API.";
  return methods.length ? null : "Nothing can be charged before a payment method is saved.";
}

export function rechargeForm(settings, methods) {
  const fields = [
    checkField("enabled", "Recharge by itself"),
    numberField("threshold_usd", "When less than", { hint: "US dollars of available credit.", min: 0, max: 100, required: true }),
    numberField("pack_usd", "Add", { hint: "US dollars. More than the amount above.", min: 1, max: 1000, required: true }),
  ];
  const save = async (given) => {
    await api.put("/v1/billing/auto-recharge", given);
    await refresh();
    tell("Automatic recharge is saved");
  };
  const lack = missing(settings, methods);
  return card("Automatic recharge", lack && quiet(lack), formOf(fields, save, { words: "Save", values: settings }));
}
