/** How fast the agents answered on each day: half of the turns, and 95 of 100. */

import { svgTags, tags } from "../../core/elements.js";
import { milliseconds } from "../../core/format.js";

const { div, figure, p, span } = tags;
const { g, line, rect, svg, title } = svgTags;

const WIDTH = 280;
const HEIGHT = 100;
const GAP = 4;

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** Dates of the API have no time; they are those of the person's time zone already. */
const dayName = ({ date }) => day.format(new Date(date));

const words = ({ p50_ms: half, p95_ms: most, turns }) =>
  turns ? `half within ${milliseconds(half)}, 95 of 100 within ${milliseconds(most)}` : "no turns";

/** @param days as `GET /v1/calls/daily-latencies` gives them. */
export function latencyChart(days) {
  const highest = Math.max(...days.map(({ p95_ms: ms }) => ms ?? 0));
  if (!highest) return p({ class: "quiet" }, "No agent has answered in this time.");
  const step = WIDTH / days.length;
  const bar = (ms, index, kind) => {
    const tall = (ms / highest) * (HEIGHT - 4);
    return rect({ class: kind, x: index * step + GAP / 2, y: HEIGHT - tall, width: step - GAP, height: tall, rx: 1.5 });
  };
  const bars = days.map((each, index) =>
    g(title(`${dayName(each)}: ${words(each)}`), each.turns > 0 && [bar(each.p95_ms, index, "most"), bar(each.p50_ms, index, "half")]),
  );
  const told = days.map((each) => `${dayName(each)} ${words(each)}`).join("; ");
  const base = line({ x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT });
  return figure(
    { class: "chart-box" },
    svg({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "chart", role: "img", "aria-label": `Answered within: ${told}` }, base, bars),
    div({ class: "chart-foot", "aria-hidden": "true" }, span(dayName(days[0])), span(`at most ${milliseconds(highest)}`), span("today")),
    div({ class: "chart-legend", "aria-hidden": "true" }, span({ class: "half" }, "half of the turns (p50)"), span({ class: "most" }, "95 of 100 (p95)")),
  );
}
