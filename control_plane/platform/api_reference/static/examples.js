// Example values of schemas: the document's own where it has them, otherwise the smallest that fit.

const BY_FORMAT = {
  uuid: "8f14e45f-ceea-467f-9c2d-3b1f0a6b7d21", "date-time": "2026-03-02T09:30:00Z", date: "2026-03-02",
  email: "ada@example.com", uri: "https://example.com", password: "correct horse battery staple",
};
const DEEPEST = 8;

/** A value that the schema allows. Optional fields are left out of requests, and in answers shown. */
export function exampleOf(schema, schemas, { withOptional = false, depth = 0 } = {}) {
  const whole = schemas.resolved(schema);
  if (whole.example !== undefined) return whole.example;
  if (whole.examples?.length) return whole.examples[0];
  if (whole.default !== undefined && whole.default !== null) return whole.default;
  const choice = schemas.choices(whole)[0];
  if (choice === undefined) return null;
  if (choice !== whole && (choice.example ?? choice.examples?.[0]) !== undefined) return choice.example ?? choice.examples[0];
  if ("const" in choice) return choice.const;
  if (choice.enum) return choice.enum[0];
  const within = { withOptional, depth: depth + 1 };
  if (choice.type === "array") return itemsOf(choice, schemas, within);
  if (choice.properties) return fieldsOf(choice, schemas, within);
  return scalarOf(choice);
}

function itemsOf(choice, schemas, within) {
  const isWanted = (choice.minItems ?? 0) > 0 || within.withOptional;
  return isWanted && within.depth < DEEPEST ? [exampleOf(choice.items ?? {}, schemas, within)] : [];
}

function fieldsOf(choice, schemas, within) {
  const required = new Set(choice.required ?? []);
  const shown = Object.entries(choice.properties).filter(([name]) =>
    required.has(name) || (within.withOptional && within.depth < DEEPEST));
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, schemas, within)]));
}

function scalarOf(choice) {
  if (choice.format in BY_FORMAT) return BY_FORMAT[choice.format];
  if (choice.type === "boolean") return true;
  if (choice.type === "object") return {};
  if (choice.type === "integer" || choice.type === "number") {
    return choice.minimum ?? (choice.exclusiveMinimum === undefined ? 0 : choice.exclusiveMinimum + 1);
  }
  if (choice.type === "null" || choice.type === undefined) return null;
  return "string".padEnd(choice.minLength ?? 0, "-").slice(0, choice.maxLength ?? undefined);
}
