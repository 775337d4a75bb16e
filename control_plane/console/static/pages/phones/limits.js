/** Where phones may be called, and how much that may cost. */

import { api, formOf, namesField, numberField, quiet, saving } from "../../kit.js";

export function limitsForm(settings) {
  const fields = [
    namesField("allowed_countries", "Countries that may be called", {
      hint: "Two-letter codes, separated by commas: US, CA. Empty: the countries of your numbers.",
    }),
    numberField("daily_spend_cap_usd", "Most that phones may cost in a day ($)", {
      hint: "From midnight, UTC. Empty: no cap.",
      mayBeNull: true,
      min: 0,
    }),
    numberField("rate_ceiling_usd_per_minute", "Most that a minute may cost ($)", {
      hint: "Numbers that cost more are not called. Empty: no ceiling.",
      mayBeNull: true,
      min: 0,
    }),
  ];
  const send = saving((given) => {
    const codes = given.allowed_countries;
    return api.put("/v1/phone-settings", { ...given, allowed_countries: codes.length ? codes : null });
  }, "The limits are saved");
  const allowed = settings.effective_countries.join(", ") || "none, because you have no number";
  return [
    quiet(`Your agents may call: ${allowed}. Phones have cost $${settings.spent_today_usd.toFixed(2)} here today.`),
    formOf(fields, send, { words: "Save the limits", values: settings }),
  ];
}
