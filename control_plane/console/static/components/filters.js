/** Fields that narrow a list. What they hold stands in the address. */

import { tags } from "../core/elements.js";
import { navigate } from "../core/router.js";

/** `path`, with those of the values that are not empty. */
export function withQuery(path, values) {
  const given = Object.entries(values).filter(([, value]) => value);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

/** @param query of the address. */
export function filters(path, fields, query) {
  for (const field of fields) if (query.has(field.name)) field.set(query.get(field.name));
  const onchange = () =>
    navigate(withQuery(path, Object.fromEntries(fields.map((each) => [each.name, each.value().trim()]))));
  return tags.div({ class: "row filters", role: "search", onchange }, fields.map(({ node }) => node));
}
