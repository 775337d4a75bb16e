/** Dialogs over the page. The browser keeps focus inside and gives it back. */

import { tags } from "../core/elements.js";

const { button, dialog, div, h2, p } = tags;

/**
 * Shows `content`, which gets a function that closes the dialog.
 *
 * @returns resolves with what the dialog was closed with; `undefined` for Escape.
 */
export function openDialog(title, content) {
  return new Promise((resolve) => {
    const heading = h2({ id: "dialog-title" }, title);
    const shown = dialog({ "aria-labelledby": "dialog-title" }, heading);
    let answer;
    const close = (value) => {
      answer = value;
      shown.close();
    };
    shown.append(...[content(close)].flat());
    shown.addEventListener("close", () => {
      shown.remove();
      resolve(answer);
    });
    document.body.append(shown);
    shown.showModal();
  });
}

/** Whether the person agrees. `words` are those of the button that agrees. */
export async function confirmed(title, explanation, words) {
  const answer = await openDialog(title, (close) => [
    p(explanation),
    div(
      { class: "buttons" },
      button({ type: "button", class: "danger", onclick: () => close(true) }, words),
      button({ type: "button", onclick: () => close(false) }, "Cancel"),
    ),
  ]);
  return answer === true;
}
