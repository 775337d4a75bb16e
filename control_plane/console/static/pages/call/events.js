/** The call's event log. */

import { tags } from "../../kit.js";

const { details, li, ol, span, summary, time } = tags;

const hour = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

export function eventsCard(call) {
  const items = call.events.map(({ level, message, created_at: at }) =>
    li(
      { "data-level": level },
      time({ datetime: at }, hour.format(new Date(at))),
      span({ class: "level" }, level),
      span({ class: "message" }, message),
    ),
  );
  return details({ class: "card" }, summary(`Events (${items.length})`), ol({ class: "log" }, items));
}
