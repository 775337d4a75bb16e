/** The call's event log. */

import { details, li, ol, span, summary, time, timeOfDay } from "../../kit.js";

export function eventsCard(call) {
  const items = call.events.map(({ level, message, created_at: at }) =>
    li(
      { "data-level": level },
      time({ datetime: at }, timeOfDay(at)),
      span({ class: "level" }, level),
      span({ class: "message" }, message),
    ),
  );
  return details({ class: "card" }, summary(`Events (${items.length})`), ol({ class: "log" }, items));
}
