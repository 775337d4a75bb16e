/** Where phones may be called, and how much that may cost. */

import { numberField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { tell } from "../../components/notices.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { refresh } from "../../core/router.js";

const { p } = tags;

const codesIn = (text) => text.split(/[\s,]+/).filter(Boolean);

export function limitsForm(settings) {
  const countries = textField("allowed_countries", "Countries that may be called", {
    hint: "Two-letter codes, separated by commas: US, CA. Empty: the countries of your numbers.",
    mayBeNull: true,
    autocomplete: "off",
  });
  const cap = numberField("daily_spend_cap_usd", "Most that phones may cost in a day ($)", {
    hint: "From midnight, UTC. Empty: no cap.",
    min: 0,
  });
  const ceiling = numberField("rate_ceiling_usd_per_minute", "Most that a minute may cost ($)", {
    hint: "Numbers that cost more are not called. Empty: no ceiling.",
    min: 0,
  });
  countries.set(settings.allowed_countries?.join(", "));
  cap.set(settings.daily_spend_cap_usd);
  ceiling.set(settings.rate_ceiling_usd_per_minute);
  const send = async (given) => {
    const codes = given.allowed_countries === null ? null : codesIn(given.allowed_countries);
    await api.put("/v1/phone-settings", { ...given, allowed_countries: codes });
    await refresh();
    tell("The limits are saved");
  };
  const allowed = settings.effective_countries.join(", ") || "none, because you have no number";
  return [
    p(
      { class: "quiet" },
      `Your agents may call: ${allowed}. Phones have cost $${settings.spent_today_usd.toFixed(2)} here today.`,
    ),
    formOf([countries, cap, ceiling], send, { words: "Save the limits" }),
  ];
}
