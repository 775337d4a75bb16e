/** Short messages at the edge of the window, which a screen reader reads. */

import { p } from "../core/elements.js";

const SHOWN_MS = 6000;

function show(text, failed) {
  const notice = p({ class: failed ? "notice failed" : "notice" }, text);
  document.getElementById("notices").append(notice);
  setTimeout(() => notice.remove(), SHOWN_MS);
}

/** Says `told`, which may be a function of what was answered; nothing if it is empty. */
export function tell(told, answer) {
  const words = typeof told === "function" ? told(answer) : told;
  if (words) show(words, false);
}

/** Says what went wrong, unless the person has left the page that asked. */
export function report(error) {
  if (error.name !== "AbortError") show(error.message, true);
}
