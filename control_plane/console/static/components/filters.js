/** Fields that narrow a list. What they hold stands in the address. */

import { address } from "../core/api.js";
import { tags } from "../core/elements.js";
import { navigate } from "../core/router.js";

/** @param query of the address. */
export function filters(path, fields, query) {
  for (const field of fields) if (query.has(field.name)) field.set(query.get(field.name));
  const onchange = () => navigate(address(path, Object.fromEntries(fields.map((each) => [each.name, each.value().trim()]))));
  return tags.div({ class: "row filters", role: "search", onchange }, fields.map(({ node }) => node));
}
