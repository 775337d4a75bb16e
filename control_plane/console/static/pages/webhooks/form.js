/** The form of a webhook, for a new one and for changes. */

import { choiceField, formDialog, linesField, secretField, textField } from "../../kit.js";

const LEVELS = [
  ["partial", "Partial: numbers and addresses are masked"],
  ["full", "Full: no words at all"],
  ["none", "None: everything as it was said"],
];

/**
 * The form in a dialog.
 *
 * @param webhook what it is now; `null` for a new one.
 * @param save gets the body for the API, and options as `send` of `formDialog`.
 */
export const webhookForm = (title, webhook, save, told) =>
  formDialog(title, {
    fields: [
      textField("url", "Address", { type: "url", placeholder: "https://", hint: "HTTPS, on the public internet." }),
      linesField("events", "Events", { hint: "Names, one a line.", rows: 4 }),
      secretField("secret", "Secret", {
        autocomplete: "new-password",
        required: !webhook,
        mayBeNull: true,
        hint: webhook ? "Empty: it stays as it is. To change it without a gap, rotate it." : "16 characters or more. Signatures are made with it; it is not shown again.",
      }),
      textField("alert_email", "Mail address for alerts", { type: "email", mayBeNull: true, hint: "Gets a mail when all tries of a delivery have failed." }),
      choiceField("redaction_level", "Redaction", LEVELS),
    ],
    values: webhook ?? { events: ["call.completed", "call.failed"], redaction_level: "partial" },
    send: ({ secret, ...rest }, once) => save(secret ? { ...rest, secret } : rest, once),
    words: webhook ? "Save" : "Register",
    told,
  });
