/** The call's event log. */

import { tags, timeOfDay } from "../../kit.js";

const { details, li, ol, span, summary, time } = tags;

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
