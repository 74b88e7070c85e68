/** Completes the fields of the API description: each gets a description and an example. */
import { fieldExamples } from "./field-examples.ts";
import { fieldTexts } from "./field-texts.ts";

/** The parts of JSON Schema that the description uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  examples?: unknown[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
}

export type Schemas = Record<string, Schema>;

/** Adds what the fields of a schema lack. `owner` is the schema or operation that has them. */
export function completeFields(schemas: Schemas, schema: Schema, owner: string): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    field.description ??= textOf(name, owner);
    if (!field.$ref && !isObject(field)) field.examples ??= [exampleOf(schemas, field, name, owner)];
    completeFields(schemas, field, name);
  }
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    completeFields(schemas, part, owner);
  for (const part of [schema.items, schema.additionalProperties])
    if (typeof part === "object") completeFields(schemas, part, owner);
}

const isObject = ({ type, properties }: Schema) => type === "object" || properties !== undefined;

/** The description of a field or parameter whose schema has none; undefined if the tables lack it too. */
export function textOf(name: string, owner: string): string | undefined {
  return (fieldTexts[`${owner}.${name}`] ?? fieldTexts[name])?.replaceAll("{of}", subjectOf(owner));
}

/** Words of names that say which form of an object it is. */
const forms =
  /^(?:Created|Changed|Added|Own|Current|Public|Stored|Open|Reassigned|Planned)(?=[A-Z])|(?<=\w)(?:Detail|Result|Payload)$/g;
const verbs =
  /^(?:create|update|set|publish|push|plan|add|get|test|enable|rename|connect|change|claim|review|copy|start)(?=[A-Z])/;
const words: Record<string, string> = {
  org: "organization",
  orgs: "organizations",
  mcp: "MCP",
  oidc: "OIDC",
  scim: "SCIM",
  sso: "SSO",
  ci: "CI",
};

/** The object that a schema, an operation or a field is about: "CreatedToken" and "createToken" are about a token. */
function subjectOf(owner: string): string {
  const bare = owner.replace(forms, "").replace(verbs, "");
  const parts = bare
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
  const singular = parts.map((part, index) => (index < parts.length - 1 ? part : singularOf(part)));
  return singular.map((part) => words[part] ?? part).join(" ");
}

function singularOf(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** A value that the schema accepts. `isRequest`: only the fields that are required, or the first one. */
export function exampleOf(
  schemas: Schemas,
  schema: Schema,
  name: string,
  owner: string,
  isRequest = false,
): unknown {
  if (schema.examples) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if (schema.$ref) {
    const component = schema.$ref.split("/").at(-1)!;
    return exampleOf(schemas, schemas[component]!, component, component, isRequest);
  }
  if (schema.allOf && schema.type === undefined) {
    const parts = schema.allOf.map((part) => exampleOf(schemas, part, name, owner, isRequest));
    return Object.assign({}, ...parts);
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    const chosen = alternatives.find(({ type }) => type !== "null") ?? alternatives[0]!;
    return exampleOf(schemas, chosen, name, owner, isRequest);
  }
  const given = fieldExamples[`${owner}.${name}`] ?? fieldExamples[name];
  if (schema.enum) return schema.enum.includes(given) ? given : schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  if (type === "array") return arrayExample(schemas, schema, name, owner, given);
  if (type === "object" || schema.properties) return objectExample(schemas, schema, name, given, isRequest);
  if (type === "boolean") return typeof given === "boolean" ? given : true;
  if (type === "integer" || type === "number") return numberExample(schema, given);
  if (type === "null") return null;
  return type === "string" ? stringExample(schema, name, given) : (given ?? {});
}

function arrayExample(schemas: Schemas, schema: Schema, name: string, owner: string, given: unknown) {
  if (schema.prefixItems) return schema.prefixItems.map((item) => exampleOf(schemas, item, name, owner));
  const isItem = (value: unknown) => (Array.isArray(value) ? "array" : typeof value) === schema.items?.type;
  if (Array.isArray(given) && given.every(isItem)) return given;
  if (!schema.items) return [];
  const first = exampleOf(schemas, schema.items, name, owner);
  return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => first);
}

function objectExample(schemas: Schemas, schema: Schema, name: string, given: unknown, isRequest: boolean) {
  const { properties = {}, required = [], additionalProperties } = schema;
  const names = Object.keys(properties);
  if (names.length === 0) {
    if (typeof given === "object" && given !== null && !Array.isArray(given)) return given;
    if (typeof additionalProperties !== "object") return {};
    return { example: exampleOf(schemas, additionalProperties, name, name) };
  }
  const shown = !isRequest ? names : required.length > 0 ? required : names.slice(0, 1);
  return Object.fromEntries(
    shown.map((field) => [field, exampleOf(schemas, properties[field]!, field, name, isRequest)]),
  );
}

function numberExample({ minimum, maximum, exclusiveMinimum }: Schema, given: unknown): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 1);
  return Math.min(Math.max(typeof given === "number" ? given : 3, least), maximum ?? Infinity);
}

const formats: Record<string, string> = {
  "date-time": "2026-11-22T11:26:29.796Z",
  date: "2026-11-22",
  uri: "https://skills.example.com",
  email: "ada@example.com",
};

function stringExample({ format = "" }: Schema, name: string, given: unknown): string {
  const ofFormat = formats[format];
  if (ofFormat !== undefined) return ofFormat;
  if (typeof given === "string") return given;
  if (typeof given === "number" || typeof given === "boolean") return String(given);
  if (Array.isArray(given) && typeof given[0] === "string") return given[0];
  if (/At$|[sS]ince$|Until$|[fF]rom$/.test(name)) return formats["date-time"]!;
  if (/(Id|Ids|_id)$|^id$/.test(name)) return "6b02d165c63c0e6e04677682";
  if (/[uU]rl$/.test(name)) return formats["uri"]!;
  if (/sha256|Hash$/i.test(name)) return fieldExamples["hash"] as string;
  throw new Error(`The API description needs an example of "${name}": add one to field-examples.ts.`);
}
