/**
 * The bell: how many notifications are unread, and a word for each that comes.
 *
 * A browser has six connections to one address, and each stream holds one. So only the window that
 * is looked at listens.
 */

import { icon } from "../components/icon.js";
import { tell } from "../components/notices.js";
import { a, span } from "./elements.js";

const STREAM = "/v1/notifications/stream";
/** After the page's own requests. */
const BEGINS_AFTER_MS = 1500;

let stream = null;
let begins = null;
let shown = null;

function show(count) {
  const [number, words] = shown.querySelectorAll("span");
  number.textContent = count > 99 ? "99+" : String(count);
  number.hidden = count === 0;
  words.textContent = count === 1 ? "1 new notification" : `${count || "No"} new notifications`;
}

function listen() {
  stream = new EventSource(STREAM);
  stream.addEventListener("unread", (event) => show(JSON.parse(event.data).count));
  stream.addEventListener("notification", (event) => tell(JSON.parse(event.data).title));
}

function follow() {
  clearTimeout(begins);
  stream?.close();
  stream = null;
  if (shown?.isConnected && document.visibilityState === "visible") begins = setTimeout(listen, BEGINS_AFTER_MS);
}

/** The bell's link. It listens as long as it is in the page. */
export function bell() {
  shown = a(
    { href: "/console/notifications", class: "bell" },
    icon("bell"),
    span({ class: "count", "aria-hidden": "true", hidden: true }),
    span({ class: "hidden-words" }, "Notifications"),
  );
  queueMicrotask(follow);
  return shown;
}

/** Something was read elsewhere in the page. */
export const recount = () => follow();

/** Nobody is logged in any more. */
export function silence() {
  shown = null;
  follow();
}

document.addEventListener("visibilitychange", follow);
