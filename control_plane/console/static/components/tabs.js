/** Links to the parts of one page. */

import { tags } from "../core/elements.js";

const { a, nav } = tags;

/**
 * @param links each `[address, words, isCurrent]`.
 */
export function linkRow(label, links) {
  const row = nav(
    { class: "tabs", "aria-label": label },
    links.map(([href, words, isCurrent]) => a({ href, "aria-current": isCurrent ? "page" : null }, words)),
  );
  // On a narrow window the row is longer than the window.
  requestAnimationFrame(() => {
    const shown = row.querySelector("[aria-current]");
    row.scrollLeft = shown.offsetLeft + shown.offsetWidth - row.offsetLeft - row.offsetWidth;
  });
  return row;
}

/**
 * The tab that an address names, by default the first one.
 *
 * @param tabs each `{ name, words, load }`; a tab's address is `base/name`, and its module exports `tab(context)`.
 * @returns the tab, the links to all, and what the tab shows.
 */
export async function openTab(label, base, tabs, name, context) {
  const current = tabs.find((each) => each.name === name) ?? tabs[0];
  const { tab } = await current.load();
  const shown = await tab(context);
  const links = tabs.map((each) => [`${base}/${each.name}`, each.words, each === current]);
  return { current, links: linkRow(label, links), shown };
}
