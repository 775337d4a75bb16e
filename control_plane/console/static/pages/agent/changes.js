/** From an agent to a form's values, and back to an update of what differs. Pure. */

/** What `agent` has at a path such as `persona.companyName`. */
export function at(agent, path) {
  return path.split(".").reduce((value, name) => value?.[name], agent) ?? null;
}

function withValue(path, value) {
  return path.split(".").reduceRight((inner, name) => ({ [name]: inner }), value);
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function merge(into, from) {
  for (const [name, value] of Object.entries(from))
    into[name] = isObject(value) && isObject(into[name]) ? merge(into[name], value) : value;
  return into;
}

export const readField = (field, agent) => (field.read ? field.read(agent) : at(agent, field.name));

/**
 * The body of an update that changes what the fields show differently than at first.
 *
 * @param first the fields' values after they were set, by name: some controls change a value's form.
 */
export function changesOf(fields, first) {
  const update = {};
  for (const field of fields) {
    const value = field.value();
    if (JSON.stringify(value) === first.get(field.name)) continue;
    merge(update, field.change ? field.change(value) : withValue(field.name, value));
  }
  return update;
}

export const snapshot = (fields) =>
  new Map(fields.map((field) => [field.name, JSON.stringify(field.value())]));
