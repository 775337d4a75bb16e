/** Links to the parts of one page. */

import { a, tags } from "../core/elements.js";

/**
 * @param links each `[address, words, isCurrent]`.
 */
export function linkRow(label, links) {
  const row = tags.nav(
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
 * @param tabs the words of each, by its name; a tab's address is `base/name`.
 * @param load gets a tab's name and gives its module, which exports `tab(context)`.
 * @returns the words of the tab, the links to all, and what the tab shows.
 */
export async function openTab(label, base, tabs, load, name, context) {
  const current = Object.hasOwn(tabs, name ?? "") ? name : Object.keys(tabs)[0];
  const { tab } = await load(current);
  const shown = await tab(context);
  const links = Object.entries(tabs).map(([each, words]) => [`${base}/${each}`, words, each === current]);
  return { words: tabs[current], links: linkRow(label, links), shown };
}
