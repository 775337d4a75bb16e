/** The form of a webhook, for a new one and for changes. */

import { choiceField, linesField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { tags } from "../../core/elements.js";

const { button } = tags;

const LEVELS = [
  ["partial", "Partial: numbers and addresses are masked"],
  ["full", "Full: no words at all"],
  ["none", "None: everything as it was said"],
];

/**
 * @param webhook what it is now; `null` for a new one.
 * @param send gets the body for the API.
 */
export function webhookForm(webhook, send, close) {
  const fields = [
    textField("url", "Address", { type: "url", required: true, placeholder: "https://", hint: "HTTPS, on the public internet." }),
    linesField("events", "Events", { hint: "Names, one a line.", rows: 4 }),
    textField("secret", "Secret", {
      type: "password",
      autocomplete: "new-password",
      required: !webhook,
      mayBeNull: true,
      hint: webhook ? "Empty: it stays as it is. To change it without a gap, rotate it." : "16 characters or more. Signatures are made with it; it is not shown again.",
    }),
    textField("alert_email", "Mail address for alerts", { type: "email", mayBeNull: true, hint: "Gets a mail when all tries of a delivery have failed." }),
    choiceField("redaction_level", "Redaction", LEVELS),
  ];
  const start = webhook ?? { events: ["call.completed", "call.failed"], redaction_level: "partial" };
  for (const each of fields) each.set(start[each.name]);
  const submit = async (given) => {
    const { secret, ...rest } = given;
    close(await send(secret ? given : rest));
  };
  const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
  return formOf(fields, submit, { words: webhook ? "Save" : "Register", extra: [cancel] });
}
