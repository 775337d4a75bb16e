/** The person's own number for SMS, confirmed with a code. */

import { act, api, formOf, part, press, quiet, saving, textField } from "../../kit.js";

const PHONE = "/v1/notifications/phone";

const send = saving(
  (given) => api.put(PHONE, given),
  ({ code_sent: wasSent }) => (wasSent ? "A code is on its way to you" : "The code could not be sent. Try again later."),
);

const confirm = saving((given) => api.put(`${PHONE}/confirmation`, given), "Your number is confirmed");

const numberField = () =>
  textField("number", "Phone number", { type: "tel", autocomplete: "tel", hint: "With + and country code. A code is sent to it." });

const codeField = (number) =>
  textField("code", "Code", {
    inputmode: "numeric",
    autocomplete: "one-time-code",
    hint: `The code that was sent to ${number}. It lasts 15 minutes.`,
  });

export async function phoneSection(get) {
  const { number, confirmed } = await get(PHONE);
  const away = number && press("Remove the number", () => act(() => api.delete(PHONE)));
  const isWaiting = number && !confirmed;
  return part(
    "Your number for SMS",
    quiet(confirmed ? `SMS go to ${number}.` : "No SMS is sent before you have confirmed a number."),
    isWaiting
      ? formOf([codeField(number)], confirm, { words: "Confirm", kind: "small", extra: [away] })
      : formOf([numberField()], send, { words: "Send a code", kind: "small", extra: [away] }),
  );
}
