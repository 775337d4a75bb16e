/** Fields that narrow a list. What they hold stands in the address. */

import { address } from "../core/api.js";
import { div } from "../core/elements.js";
import { navigate } from "../core/router.js";
import { whenChosen } from "./choice.js";

/**
 * @param query of the address.
 * @returns the fields in a row, and what they ask for, by name.
 */
export function filters(fields, query) {
  const asked = Object.fromEntries(fields.map(({ name }) => [name, query.get(name)]));
  for (const field of fields) if (query.has(field.name)) field.set(asked[field.name]);
  const row = div({ class: "row filters", role: "search" }, fields.map(({ node }) => node));
  const wanted = () => Object.fromEntries(fields.map((each) => [each.name, each.value().trim()]));
  return [whenChosen(row, () => navigate(address(location.pathname, wanted()))), asked];
}
