/** The person's own number for SMS, confirmed with a code. */

import { textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { report, tell } from "../../components/notices.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { refresh } from "../../core/router.js";

const { button, h2, p, section } = tags;
const PHONE = "/v1/notifications/phone";

async function send(given) {
  const { code_sent: wasSent } = await api.put(PHONE, given);
  await refresh();
  tell(wasSent ? "A code is on its way to you" : "The code could not be sent. Try again later.");
}

async function confirm(given) {
  await api.put(`${PHONE}/confirmation`, given);
  await refresh();
  tell("Your number is confirmed");
}

async function remove() {
  try {
    await api.delete(PHONE);
    await refresh();
  } catch (error) {
    report(error);
  }
}

export async function phoneSection(signal) {
  const { number, confirmed } = await api.get(PHONE, {}, signal);
  const away = number && button({ type: "button", onclick: remove }, "Remove the number");
  const isWaiting = number && !confirmed;
  const field = isWaiting
    ? textField("code", "Code", { inputmode: "numeric", autocomplete: "one-time-code", required: true, hint: `The code that was sent to ${number}. It lasts 15 minutes.` })
    : textField("number", "Phone number", { type: "tel", autocomplete: "tel", required: true, hint: "With + and country code. A code is sent to it." });
  return section(
    { class: "sections" },
    h2("Your number for SMS"),
    p({ class: "quiet" }, confirmed ? `SMS go to ${number}.` : "No SMS is sent before you have confirmed a number."),
    formOf([field], isWaiting ? confirm : send, { words: isWaiting ? "Confirm" : "Send a code", kind: "small", extra: [away] }),
  );
}
