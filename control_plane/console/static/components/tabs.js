/** Links to the parts of one page. */

import { tags } from "../core/elements.js";

const { a, nav } = tags;

/**
 * @param tabs each `{ name, words }`; a tab's address is `base/name`.
 * @param current the tab that is shown.
 */
export function tabLinks(label, base, tabs, current) {
  const links = tabs.map((each) =>
    a({ href: `${base}/${each.name}`, "aria-current": each === current ? "page" : null }, each.words),
  );
  const row = nav({ class: "tabs", "aria-label": label }, links);
  // On a narrow window the row is longer than the window.
  requestAnimationFrame(() => {
    const shown = row.querySelector("[aria-current]");
    row.scrollLeft = shown.offsetLeft + shown.offsetWidth - row.offsetLeft - row.offsetWidth;
  });
  return row;
}
