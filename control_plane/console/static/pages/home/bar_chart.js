/** Bars by day. A screen reader gets the numbers as one sentence. */

import { div, span, svgTags, tags } from "../../kit.js";

const { g, line, rect, svg, title } = svgTags;

const WIDTH = 280;
const HEIGHT = 100;
const GAP = 4;

/**
 * @param days each `{ name, words, bars }`: bars are `[value, class]`, a later one in front of an earlier one.
 * @param told how the sentence for screen readers begins.
 * @param words of a value.
 */
export function barChart(told, days, words, legend = []) {
  const highest = Math.max(...days.flatMap(({ bars }) => bars.map(([value]) => value)), 0);
  const step = WIDTH / days.length;
  const bar = ([value, kind], index) => {
    const tall = highest ? Math.max(value ? 2 : 0, (value / highest) * (HEIGHT - 4)) : 0;
    return rect({ class: kind, x: index * step + GAP / 2, y: HEIGHT - tall, width: step - GAP, height: tall, rx: 1.5 });
  };
  const drawn = days.map((day, index) => g(title(`${day.name}: ${day.words}`), day.bars.map((each) => bar(each, index))));
  const sentence = `${told}: ${days.map((day) => `${day.name} ${day.words}`).join("; ")}`;
  const base = line({ x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT });
  return tags.figure(
    { class: "chart-box" },
    svg({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "chart", role: "img", "aria-label": sentence }, base, drawn),
    div({ class: "chart-foot", "aria-hidden": "true" }, span(days[0].name), span(`at most ${words(highest)}`), span("today")),
    legend.length > 0 &&
      div({ class: "chart-legend", "aria-hidden": "true" }, legend.map(([kind, meaning]) => span({ class: kind }, meaning))),
  );
}
