/**
 * Builds elements. Text stays text: nothing parses HTML, and the page's policy (trusted types)
 * forbids it, so no data can become markup.
 *
 *     const { section, h2, button } = tags;
 *     section({ class: "card" }, h2("Calls"), button({ type: "button", onclick: reload }, "Reload"))
 *
 * A first argument that is a plain object holds attributes: a function is a listener, `true` an attribute
 * without a value. Children are nodes, texts, numbers or arrays of them. `null`, `undefined` and `false` are
 * left out of both.
 */

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled"]);

function isAttributes(part) {
  return part !== null && typeof part === "object" && Object.getPrototypeOf(part) === Object.prototype;
}

const isGiven = (part) => part !== null && part !== undefined && part !== false;

function set(element, name, value) {
  if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
  else if (PROPERTIES.has(name)) element[name] = value ?? "";
  else if (isGiven(value)) element.setAttribute(name, value === true ? "" : String(value));
}

function children(parts) {
  return parts
    .flat(Infinity)
    .filter(isGiven)
    .map((part) => (part instanceof Node ? part : String(part)));
}

function build(element, parts) {
  const [attributes, content] = isAttributes(parts[0]) ? [parts[0], parts.slice(1)] : [{}, parts];
  // A select's value counts only once its options are there.
  element.append(...children(content));
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  return element;
}

const builders = (create) =>
  new Proxy({}, { get: (_, tag) => (...parts) => build(create(tag), parts) });

/** Builders of HTML elements, by tag. */
export const tags = builders((tag) => document.createElement(tag));

/** Those that many files use. */
export const { a, button, code, details, div, h1, h2, h3, li, ol, p, pre, section, span, summary, time, ul } = tags;

/** Builders of SVG elements, by tag. */
export const svgTags = builders((tag) => document.createElementNS(SVG, tag));

/** Puts `parts` in the place of what `parent` holds. */
export function fill(parent, ...parts) {
  parent.replaceChildren(...children(parts));
  return parent;
}
