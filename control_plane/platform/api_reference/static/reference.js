// The page: asks for the OpenAPI document, draws it, and searches it.

import { introduction } from "./introduction.js";
import { node } from "./nodes.js";
import { methodView, operationView } from "./operation_view.js";
import { groupsOf } from "./operations.js";
import { Schemas } from "./schemas.js";
import { finds, searchTextOf } from "./search.js";

const main = document.getElementById("reference");
const contents = document.getElementById("contents");
const search = document.getElementById("search");
const showContents = document.getElementById("show-contents");
const found = document.getElementById("found");
/** `[{ operation, searchText, shown: [elements], group }]` */
const entries = [];

try {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  draw(await answer.json());
} catch (error) {
  const trouble = document.getElementById("trouble");
  trouble.append(node("h2", {}, "The reference could not be loaded"),
    node("p", {}, `${error.message}. Reload the page; if that does not help, ask the operator of this installation.`));
  trouble.hidden = false;
} finally {
  document.getElementById("loading").remove();
}

function draw(api) {
  const schemas = new Schemas(api);
  main.append(introduction(api, location.origin));
  for (const group of groupsOf(api)) drawGroup(group, schemas);
  search.addEventListener("input", filter);
  document.addEventListener("keydown", focusSearch);
  contents.addEventListener("click", (event) => { if (event.target.closest("a")) openContents(false); });
  showContents.addEventListener("click", () => openContents(showContents.getAttribute("aria-expanded") !== "true"));
  addEventListener("hashchange", markCurrent);
  watchScrolling();
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  markCurrent();
}

function drawGroup(group, schemas) {
  const section = node("section", { class: "group", id: group.anchor },
    node("header", { class: "group-head" }, node("h2", {}, capitalised(group.name)), node("p", {}, group.about)));
  const list = node("ul", {});
  const listed = node("div", { class: "contents-group" }, node("a", { class: "contents-head", href: `#${group.anchor}` }, capitalised(group.name)), list);
  for (const operation of group.operations) {
    const view = operationView(operation, schemas, location.origin);
    const item = node("li", {}, node("a", { href: `#${operation.anchor}` }, node("span", {}, operation.title), methodView(operation.method)));
    section.append(view);
    list.append(item);
    entries.push({ searchText: searchTextOf(operation, schemas), shown: [view, item], groups: [section, listed] });
  }
  main.append(section);
  contents.append(listed);
}

function filter() {
  const query = search.value.trim();
  const groups = new Map(entries.flatMap((entry) => entry.groups.map((group) => [group, false])));
  let count = 0;
  for (const entry of entries) {
    const isFound = finds(query, entry.searchText);
    count += isFound;
    for (const element of entry.shown) element.hidden = !isFound;
    if (isFound) for (const group of entry.groups) groups.set(group, true);
  }
  for (const [group, isShown] of groups) group.hidden = !isShown;
  document.getElementById("top").hidden = query !== "";
  found.textContent = query === "" ? "" : count === 1 ? "1 operation" : count ? `${count} operations` : "Nothing found. Try a word of a path, such as “calls”.";
  if (query !== "") scrollTo({ top: 0 });
}

function focusSearch(event) {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape" && search.value) {
    search.value = "";
    filter();
  }
}

function openContents(isOpen) {
  showContents.setAttribute("aria-expanded", String(isOpen));
  document.body.toggleAttribute("data-contents", isOpen);
}

function watchScrolling() {
  const seen = new IntersectionObserver((changes) => {
    for (const { isIntersecting, target } of changes) if (isIntersecting) markCurrent(target.id);
  }, { rootMargin: "-15% 0px -80% 0px" });
  for (const article of main.querySelectorAll("article")) seen.observe(article);
}

function markCurrent(anchor) {
  const wanted = typeof anchor === "string" ? `#${anchor}` : location.hash;
  for (const link of contents.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  const link = [...contents.querySelectorAll("a")].find((each) => each.getAttribute("href") === wanted);
  link?.setAttribute("aria-current", "true");
  if (link && getComputedStyle(contents).overflowY === "auto") link.scrollIntoView({ block: "nearest" });
}

function capitalised(text) {
  return text.replace(/\bapi\b/g, "API").replace(/^./, (first) => first.toUpperCase());
}
