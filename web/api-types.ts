/**
 * Types of the API for the dashboard, printed from the API description (OpenAPI 3.1), in the form that openapi-fetch
 * reads. Not `openapi-typescript`, which needs the compiler interface of TypeScript 5 or 6.
 */
interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema | boolean;
  prefixItems?: Schema[];
  description?: string;
}
interface Content {
  content?: Record<string, { schema?: Schema }>;
}
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}
interface Response extends Content {
  $ref?: string;
}
interface Operation {
  parameters?: Parameter[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Response>;
}
export interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Content> };
}

/** A module with the interfaces `paths` and `components`. */
export function printApiTypes(description: Description): string {
  const paths = Object.entries(description.paths).map(([path, operations]) => {
    const methods = Object.entries(operations).map(
      ([method, one]) => `${method}: ${printOperation(one, description)};`,
    );
    return `${JSON.stringify(path)}: { ${methods.join("\n")} };`;
  });
  const schemas = Object.entries(description.components.schemas).map(
    ([name, schema]) => `${JSON.stringify(name)}: ${printSchema(schema)};`,
  );
  return [
    "// Written by `npm run generate:web` from the API description. Do not edit.",
    `export interface paths { ${paths.join("\n")} }`,
    `export interface components { schemas: { ${schemas.join("\n")} } }`,
    "",
  ].join("\n");
}

/** Without the failures of single statuses, which have the form of `default`. */
function printOperation(
  { parameters = [], requestBody, responses }: Operation,
  { components }: Description,
): string {
  const groups = ["path", "query"].flatMap((where) => {
    const members = parameters.filter((parameter) => parameter.in === where);
    if (members.length === 0) return [];
    const isOptional = members.every(({ required }) => required !== true);
    const fields = members.map(
      ({ name, required, schema }) =>
        `${JSON.stringify(name)}${required ? "" : "?"}: ${printSchema(schema)};`,
    );
    return [`${where}${isOptional ? "?" : ""}: { ${fields.join(" ")} };`];
  });
  const body = requestBody
    ? `requestBody${requestBody.required ? "" : "?"}: ${printContent(requestBody)};`
    : "";
  const answers = Object.entries(responses).flatMap(([status, { $ref, ...content }]) => {
    if (!/^(?:2..|default)$/.test(status)) return [];
    const named = $ref?.split("/").at(-1);
    const response = named === undefined ? content : (components.responses[named] ?? content);
    return [`${status}: { headers: Record<string, unknown>; ${contentOf(response)} };`];
  });
  return `{ parameters: { ${groups.join(" ")} }; ${body} responses: { ${answers.join(" ")} } }`;
}

const contentOf = (response: Content) => `content: ${printContent(response).slice("{ content: ".length, -2)}`;

function printContent({ content = {} }: Content): string {
  const types = Object.entries(content).map(
    ([type, { schema }]) => `${JSON.stringify(type)}: ${schema ? printSchema(schema) : "unknown"};`,
  );
  return `{ content: { ${types.join(" ")} } }`;
}

/** The TypeScript type of a JSON Schema, of the subset that zod-openapi writes. */
export function printSchema(schema: Schema | boolean): string {
  if (typeof schema === "boolean") return schema ? "unknown" : "never";
  if (schema.$ref) return `components["schemas"][${JSON.stringify(schema.$ref.split("/").at(-1))}]`;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map((one) => `(${printSchema(one)})`).join(" | ");
  if (schema.allOf) return schema.allOf.map((one) => `(${printSchema(one)})`).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => printTyped(type, schema)).join(" | ");
  return printTyped(schema.type, schema);
}

function printTyped(type: string | undefined, schema: Schema): string {
  if (type === "integer" || type === "number") return "number";
  if (type === "string" || type === "boolean" || type === "null") return type;
  if (type === "array") {
    if (schema.prefixItems) return `[${schema.prefixItems.map(printSchema).join(", ")}]`;
    return `(${schema.items === undefined ? "unknown" : printSchema(schema.items)})[]`;
  }
  if (type === "object" || schema.properties) return printObject(schema);
  return "unknown";
}

function printObject({ properties = {}, required = [], additionalProperties }: Schema): string {
  const isRequired = new Set(required);
  const fields = Object.entries(properties).map(([name, property]) => {
    const comment =
      typeof property === "object" && property.description
        ? `/** ${property.description.replaceAll("*/", "* /")} */ `
        : "";
    return `${comment}${JSON.stringify(name)}${isRequired.has(name) ? "" : "?"}: ${printSchema(property)};`;
  });
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (fields.length === 0 && isOpen) return `Record<string, ${printSchema(additionalProperties)}>`;
  return `{ ${fields.join("\n")} }`;
}
