/** One bar a day. A screen reader gets the numbers as one sentence. */

import { svgTags, tags } from "../../core/elements.js";

const { div, figure, span } = tags;
const { line, rect, svg, title } = svgTags;

const WIDTH = 280;
const HEIGHT = 100;
const GAP = 4;

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

export function barChart(name, days, value, words) {
  const values = days.map(value);
  const highest = Math.max(...values, 0);
  const step = WIDTH / days.length;
  const bars = values.map((each, index) => {
    const tall = highest ? Math.max(each ? 2 : 0, (each / highest) * (HEIGHT - 4)) : 0;
    const box = { x: index * step + GAP / 2, y: HEIGHT - tall, width: step - GAP, height: tall, rx: 1.5 };
    return rect(box, title(`${day.format(days[index].date)}: ${words(each)}`));
  });
  const told = days.map(({ date }, index) => `${day.format(date)} ${words(values[index])}`).join(", ");
  const base = line({ x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT });
  return figure(
    { class: "chart-box" },
    svg({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "chart", role: "img", "aria-label": `${name}: ${told}` }, base, bars),
    div({ class: "chart-foot", "aria-hidden": "true" }, span(day.format(days[0].date)), span(`at most ${words(highest)}`), span("today")),
  );
}
