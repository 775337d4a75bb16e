/** A secret that is shown once. */

import { tags } from "../core/elements.js";
import { openDialog } from "./dialog.js";
import { tell } from "./notices.js";

const { button, div, input, label, p } = tags;

/** `words` say what it is. */
export const showSecret = (title, secret, words = "Key") =>
  openDialog(title, (close) => {
    const shown = input({ id: "secret", class: "code", readonly: true, value: secret });
    const copy = async () => {
      shown.select();
      // Browsers refuse the clipboard on plain http.
      await navigator.clipboard?.writeText(secret);
      tell("Copied");
    };
    return [
      p("Keep it now: it is not shown again."),
      div({ class: "field" }, label({ for: "secret" }, words), shown),
      div(
        { class: "buttons" },
        navigator.clipboard && button({ type: "button", class: "primary", onclick: copy }, "Copy"),
        button({ type: "button", onclick: () => close() }, "Done"),
      ),
    ];
  });
