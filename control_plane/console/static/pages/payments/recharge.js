/** Charging the saved method while nobody is there. */

import { checkField, numberField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { tell } from "../../components/notices.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { refresh } from "../../core/router.js";

const { h2, p, section } = tags;

/** What has to be there before a recharge can be made; `null` if nothing is missing. */
function missing(settings, methods) {
  if (settings.mandate_required && !settings.has_mandate) return "Your bank wants a mandate first. Register one through the API.";
  return methods.length ? null : "Nothing can be charged before a payment method is saved.";
}

export function rechargeForm(settings, methods) {
  const enabled = checkField("enabled", "Recharge by itself");
  const threshold = numberField("threshold_usd", "When less than", { hint: "US dollars of available credit.", min: 0, max: 100, required: true });
  const pack = numberField("pack_usd", "Add", { hint: "US dollars. More than the amount above.", min: 1, max: 1000, required: true });
  const fields = [enabled, threshold, pack];
  for (const field of fields) field.set(settings[field.name]);
  const save = async (given) => {
    await api.put("/v1/billing/auto-recharge", given);
    await refresh();
    tell("Automatic recharge is saved");
  };
  const lack = missing(settings, methods);
  return section(
    { class: "card" },
    h2("Automatic recharge"),
    lack && p({ class: "quiet" }, lack),
    formOf(fields, save, { words: "Save" }),
  );
}
