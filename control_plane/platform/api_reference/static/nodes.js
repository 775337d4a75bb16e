// Building elements: the only place that writes into the page.

/**
 * An element. Attributes that are null, undefined or false are left out; those that are functions
 * listen to the event of their name. Children are elements, texts, or lists of them.
 */
export function node(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** Paragraphs of a description, in which single or double backticks mark code. */
export function prose(text) {
  return (text ?? "").split(/\n\s*\n/).filter(Boolean).map((paragraph) => node("p", {}, inline(paragraph)));
}

/** The text's words, with what stands in backticks as code. */
export function inline(text) {
  return text.split(/(``[^`]+``|`[^`]+`)/).filter(Boolean).map((part) =>
    part.startsWith("`") ? node("code", {}, part.replaceAll("`", "")) : part.replaceAll("\n", " "));
}

/** A `details` element whose content is built when it is first opened. */
export function lazyDetails(attributes, summary, content) {
  const details = node("details", attributes, node("summary", {}, summary));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(...[content()].flat(Infinity));
  });
  return details;
}
