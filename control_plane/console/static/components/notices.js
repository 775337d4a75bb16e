/** Short messages at the edge of the window, which a screen reader reads. */

import { tags } from "../core/elements.js";

const { p } = tags;
const SHOWN_MS = 6000;

function show(text, failed) {
  const notice = p({ class: failed ? "notice failed" : "notice" }, text);
  document.getElementById("notices").append(notice);
  setTimeout(() => notice.remove(), SHOWN_MS);
}

export const tell = (text) => show(text, false);

/** Says what went wrong, unless the person has left the page that asked. */
export function report(error) {
  if (error.name !== "AbortError") show(error.message, true);
}
