/** Dialogs over the page. The browser keeps focus inside and gives it back. */

import { fill, h2, p, tags } from "../core/elements.js";
import { refreshHere } from "../core/router.js";
import { buttons, press } from "./buttons.js";
import { quiet } from "./cards.js";
import { textField } from "./fields.js";
import { formOf } from "./form.js";
import { tell } from "./notices.js";

/**
 * Shows `content`, which gets a function that closes the dialog.
 *
 * @returns resolves with what the dialog was closed with; `undefined` for Escape.
 */
export function openDialog(title, content) {
  return new Promise((resolve) => {
    const shown = tags.dialog({ "aria-label": title });
    let answer;
    const close = (value) => {
      answer = value;
      shown.close();
    };
    fill(shown, h2(title), content(close));
    shown.addEventListener("close", () => {
      shown.remove();
      resolve(answer);
    });
    document.body.append(shown);
    shown.showModal();
  });
}

/** Something to read. */
export const showDialog = (title, ...content) =>
  openDialog(title, (close) => [content, buttons(press("Close", () => close()))]);

/** Whether the person agrees. `words` are those of the button that agrees. */
export async function confirmed(title, explanation, words) {
  const answer = await openDialog(title, (close) => [
    p(explanation),
    buttons(press(words, () => close(true), "danger"), press("Cancel", () => close(false))),
  ]);
  return answer === true;
}

/**
 * A form in a dialog, with fields and options as in form.js.
 *
 * @param content stands above the fields.
 * @param send gets the fields' values, and options with which a second try does nothing twice; the dialog stays open
 *   if it fails.
 * @param told what is said afterwards, or a function of the answer; then the page is shown again.
 * @returns what `send` answered; `undefined` if the person has cancelled before.
 */
export async function formDialog(title, { about = null, content = null, fields = [], send, told = null, ...options }) {
  const again = refreshHere();
  const once = { headers: { "Idempotency-Key": `${Date.now()}${Math.random()}` } };
  let answer, sent;
  await openDialog(title, (close) => [
    about && quiet(about),
    content,
    formOf(fields, (given) => (sent = send(given, once).then((found) => close((answer = found ?? null)))), {
      ...options,
      extra: [press("Cancel", () => close())],
    }),
  ]);
  // What was sent is done, though the dialog was closed meanwhile.
  await sent?.catch(() => null);
  if (answer !== undefined && told) {
    await again();
    tell(told, answer);
  }
  return answer;
}

/** A key that is shown once. */
export const showSecret = (title, secret) =>
  openDialog(title, (close) => {
    const copy = async () => {
      await navigator.clipboard.writeText(secret);
      tell("Copied");
    };
    return [
      p("Keep it now: it is not shown again."),
      textField("secret", "Key", { class: "code", readonly: true, value: secret }).node,
      // Browsers have no clipboard on plain http.
      buttons(navigator.clipboard && press("Copy", copy, "primary"), press("Done", () => close())),
    ];
  });
