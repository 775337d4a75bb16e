// What a JSON Schema of the document says, in words.

const FORMATS = {
  uuid: "UUID", "date-time": "date and time", date: "date", email: "mail address", uri: "URL",
  binary: "bytes", password: "string",
};
const PLURALS = { array: "arrays", boolean: "booleans", integer: "integers", number: "numbers", object: "objects", string: "strings" };

/** The schemas of a document, as what a part of it means. */
export class Schemas {
  constructor(document) {
    this.named = document.components.schemas;
  }

  /** The schema itself, with its references followed and `allOf` merged. */
  resolved(schema = {}) {
    if (schema.$ref) {
      const { $ref, ...beside } = schema;
      return { ...this.resolved(this.named[$ref.split("/").at(-1)]), ...beside };
    }
    if (!schema.allOf) return schema;
    const { allOf, ...own } = schema;
    return [...allOf.map((part) => this.resolved(part)), own].reduce((merged, part) => ({
      ...merged, ...part,
      properties: { ...merged.properties, ...part.properties },
      required: [...(merged.required ?? []), ...(part.required ?? [])],
    }), {});
  }

  /** What a value may be, each with its references followed; `null` is not among them. */
  choices(schema) {
    const whole = this.resolved(schema);
    const listed = whole.anyOf ?? whole.oneOf;
    if (!listed) return [whole];
    return listed.flatMap((option) => this.choices(option)).filter((option) => option.type !== "null");
  }

  isNullable(schema) {
    const whole = this.resolved(schema);
    return whole.type === "null" || (whole.anyOf ?? whole.oneOf ?? []).some((option) => this.isNullable(option));
  }

  /** Such as `string`, `array of objects` or `integer or null`. */
  kind(schema) {
    const kinds = new Set(this.choices(schema).map((choice) => this.#kindOfChoice(choice)));
    if (this.isNullable(schema)) kinds.add("null");
    return [...kinds].filter(Boolean).join(" or ") || "anything";
  }

  #kindOfChoice(choice) {
    if ("const" in choice) return JSON.stringify(choice.const);
    if (choice.enum) return choice.type ?? "string";
    if (choice.type === "array") return `array of ${this.#plural(choice.items)}`;
    if (choice.format in FORMATS) return FORMATS[choice.format];
    if (choice.type === undefined && choice.properties) return "object";
    return choice.type;
  }

  #plural(items) {
    const kinds = new Set(this.choices(items ?? {}).map((choice) => {
      const kind = this.#kindOfChoice(choice);
      return PLURALS[kind] ?? (FORMATS[choice.format] ? `${kind}s` : kind);
    }));
    return [...kinds].filter(Boolean).join(" or ") || "anything";
  }

  /** The values that are allowed, where they are listed. */
  values(schema) {
    return this.choices(schema).flatMap((choice) => choice.enum ?? (choice.items ? this.#valuesOfItems(choice) : []));
  }

  #valuesOfItems(choice) {
    return this.choices(choice.items).flatMap((item) => item.enum ?? []);
  }

  /** Limits, each in words: `1 to 255 characters`, `at most 10 items`. */
  limits(schema) {
    return [...new Set(this.choices(schema).flatMap(limitsOfChoice))];
  }

  /** The objects that a value can be or hold: what a reader may want to look into. */
  objects(schema) {
    return this.choices(schema).flatMap((choice) => {
      if (choice.type === "array") return this.objects(choice.items ?? {});
      if (choice.properties) return [choice];
      if (typeof choice.additionalProperties === "object") return this.objects(choice.additionalProperties);
      return [];
    });
  }
}

function limitsOfChoice(choice) {
  return [
    range(choice.minLength, choice.maxLength, "character"),
    range(choice.minItems, choice.maxItems, "item"),
    range(choice.minProperties, choice.maxProperties, "entry", "entries"),
    range(choice.minimum, choice.maximum),
    choice.exclusiveMinimum === undefined ? null : `more than ${choice.exclusiveMinimum}`,
    choice.exclusiveMaximum === undefined ? null : `less than ${choice.exclusiveMaximum}`,
    choice.uniqueItems ? "each only once" : null,
    choice.pattern ? `\`${choice.pattern}\`` : null,
  ].filter(Boolean);
}

function range(least, most, unit = "", units = unit && `${unit}s`) {
  const named = (count) => [count, count === 1 ? unit : units].filter((part) => part !== "").join(" ");
  if (least === undefined && most === undefined) return null;
  if (most === undefined) return least === 0 && unit ? null : `at least ${named(least)}`;
  if (least === undefined || (least === 0 && unit)) return `at most ${named(most)}`;
  return least === most ? `exactly ${named(most)}` : `${least} to ${named(most)}`;
}
