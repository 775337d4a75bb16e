/** The last days in charts. */

import { card, div, milliseconds, money, number, quiet } from "../../kit.js";
import { barChart } from "./bar_chart.js";

const SERIES = [
  ["Calls", (day) => day.calls, number],
  ["Minutes", (day) => day.seconds / 60, (minutes) => number(Math.round(minutes * 10) / 10)],
  ["Spend", (day) => day.spent, money],
];
const LEGEND = [
  ["half", "half of the turns (p50)"],
  ["most", "95 of 100 (p95)"],
];

const dayFormat = (timeZone) => new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone });
const local = dayFormat();
/** Dates of the API have no time; they are those of the person's time zone already. */
const dated = dayFormat("UTC");

const latencyWords = ({ p50_ms: half, p95_ms: most, turns }) =>
  turns ? `half within ${milliseconds(half)}, 95 of 100 within ${milliseconds(most)}` : "no turns";

/** How fast the agents answered on each day. */
function latencyChart(latencies) {
  if (!latencies.some(({ turns }) => turns)) return quiet("No agent has answered in this time.");
  const days = latencies.map((day) => ({
    name: dated.format(new Date(day.date)),
    words: latencyWords(day),
    bars: day.turns ? [[day.p95_ms, "most"], [day.p50_ms, "half"]] : [],
  }));
  return barChart("Answered within", days, milliseconds, LEGEND);
}

/**
 * @param days of days.js.
 * @param latencies as `GET /v1/calls/daily-latencies` gives them.
 */
export function charts(days, latencies) {
  const cards = SERIES.map(([name, value, words]) => {
    const told = days.map((day) => ({ name: local.format(day.date), words: words(value(day)), bars: [[value(day)]] }));
    return card(name, barChart(name, told, words));
  });
  return div({ class: "columns charts" }, cards, card("Answered within", latencyChart(latencies)));
}
