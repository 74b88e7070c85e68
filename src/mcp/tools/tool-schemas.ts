/**
 * JSON Schemas of tools, kept short because each list costs agents tokens. Constraints that an input schema omits are
 * still enforced.
 */
import { z } from "zod";
import { timestampDescription } from "../../../contract/payloads/timestamp.ts";

export interface ObjectSchema {
  type: "object";
  [key: string]: unknown;
}

type Schema = z.core.JSONSchema.BaseSchema;

/**
 * Schema of the arguments, without patterns and the bounds of safe integers. A description states a pattern that
 * callers need to know.
 */
export function inputSchema(schema: z.ZodType): ObjectSchema {
  return makeSchema(schema, "input", ({ jsonSchema }) => {
    removeIntegerBounds(jsonSchema);
    if (jsonSchema.type === "string") delete jsonSchema.pattern;
  });
}

/**
 * Schema of the results: the fields that each of them has. Results can have more fields, since some depend on the skill
 * or on the caller, and since clients may keep a list after the service is upgraded.
 */
export function outputSchema(schema: z.ZodType): ObjectSchema {
  const made = makeSchema(schema, "output", ({ jsonSchema }) => {
    removeIntegerBounds(jsonSchema);
    if (jsonSchema.format === "date-time") {
      // The format says the same.
      delete jsonSchema.pattern;
      if (jsonSchema.description === timestampDescription) delete jsonSchema.description;
    }
    delete jsonSchema.additionalProperties;
    const { properties, required = [] } = jsonSchema;
    for (const name of Object.keys(properties ?? {})) if (!required.includes(name)) delete properties![name];
  });
  return withoutUnused(made);
}

function makeSchema(
  schema: z.ZodType,
  io: "input" | "output",
  override: (context: { jsonSchema: Schema }) => void,
): ObjectSchema {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, {
    io,
    reused: "inline",
    override(context) {
      // Names of shared schemas belong to the description of the API.
      delete context.jsonSchema.id;
      override(context);
    },
  });
  return { ...made, type: "object" };
}

/** Every integer has these bounds. */
function removeIntegerBounds(schema: Schema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Removes the shared schemas that nothing refers to. */
function withoutUnused({ $defs, ...rest }: ObjectSchema): ObjectSchema {
  const shared = ($defs ?? {}) as Record<string, unknown>;
  const used = new Set<string>();
  const visit = (part: unknown) => {
    for (const [, name] of JSON.stringify(part).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)) {
      if (used.has(name!)) continue;
      used.add(name!);
      visit(shared[name!]);
    }
  };
  visit(rest);
  if (used.size === 0) return rest;
  return { ...rest, $defs: Object.fromEntries(Object.entries(shared).filter(([name]) => used.has(name))) };
}
