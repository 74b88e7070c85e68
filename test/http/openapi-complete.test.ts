/** Completeness of the API description: clients and their documentation are made from it. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { apiRoutes } from "../../src/api.ts";
import type { Schema, Schemas } from "../../src/http/openapi/complete-fields.ts";
import { describeRoutes } from "../../src/http/openapi/describe.ts";
import { root } from "../support/root.ts";
import { setUpService } from "../support/set-up.ts";

interface Content {
  schema: Schema;
  example?: unknown;
}
interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, Content>;
}
interface Operation {
  operationId: string;
  description: string;
  tags: string[];
  parameters?: { $ref?: string; name: string; in: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, Response>;
}
interface Description {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas; responses: Record<string, Response>; parameters: Record<string, object> };
}

const { service } = await setUpService();
const routes = apiRoutes(service.app, "0.0.0-test");
const described = describeRoutes(routes, "0.0.0-test", "https://skills.example.com");
const document: Description = JSON.parse(JSON.stringify(described));
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** The fields of a schema at any depth, with the path to each. */
function* fieldsOf(schema: Schema, where: string): Generator<{ field: Schema; where: string }> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield { field, where: `${where}.${name}` };
    yield* fieldsOf(field, `${where}.${name}`);
  }
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    yield* fieldsOf(part, where);
  for (const part of [schema.items, schema.additionalProperties])
    if (typeof part === "object") yield* fieldsOf(part, where);
}

function* contentsOf(operation: Operation): Generator<[where: string, content: Content]> {
  const { operationId, requestBody, responses } = operation;
  for (const content of Object.values(requestBody?.content ?? {})) yield [`${operationId} request`, content];
  for (const { content = {} } of Object.values(responses))
    for (const one of Object.values(content)) yield [`${operationId} response`, one];
}

const allFields = [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [...fieldsOf(schema, name)]),
  ...operations.flatMap(({ operation }) =>
    [...contentsOf(operation)].flatMap(([where, { schema }]) => [...fieldsOf(schema, where)]),
  ),
];

describe("the API description", () => {
  it("keeps the id of each operation, which clients make the names of functions from", () => {
    const file = join(root, "test/http/operation-ids.txt");
    const lines = operations.map(
      ({ path, method, operation }) => `${operation.operationId} ${method.toUpperCase()} ${path}`,
    );
    const text = `${lines.sort().join("\n")}\n`;
    if (process.env["SVC_RECORD_CONTRACT"]) writeFileSync(file, text);
    const recorded = readFileSync(file, "utf8");

    const lost = recorded.split("\n").filter((line) => line !== "" && !lines.includes(line));
    assert.deepEqual(lost, [], "an id or path was changed or removed");
    assert.equal(text, recorded, "SVC_RECORD_CONTRACT=1 npm test -- http/openapi-complete records new ones");
    for (const { operation } of operations) assert.match(operation.operationId, /^[a-z][A-Za-z]{3,21}$/);
  });

  it("describes each operation, tag and parameter in words, with an example of each parameter", () => {
    for (const { operation } of operations) {
      const { operationId, description, parameters = [] } = operation;
      assert.match(description, /^[A-Z][^]*\.$/, operationId);
      for (const { $ref, name, description: text, schema } of parameters) {
        if ($ref) continue;
        assert.ok(text, `${operationId}: description of "${name}", in its schema or in field-texts.ts`);
        assert.ok(schema.examples, `${operationId}: example of "${name}"`);
      }
    }
    const tags = document.tags.map(({ name }) => name);
    assert.deepEqual(new Set(tags), new Set(operations.map(({ operation }) => operation.tags[0])));
    for (const { name, description } of document.tags) assert.ok(description, name);
  });

  it("describes each field, with an example of each that is not an object", () => {
    assert.ok(allFields.length > 2000);
    for (const { field, where } of allFields) {
      assert.ok(field.description, `${where}: description, in its schema or in field-texts.ts`);
      assert.doesNotMatch(field.description, /\{of\}|undefined/, where);
      const isObject = field.$ref ?? field.properties ?? field.type === "object";
      assert.ok(isObject || field.examples, `${where}: example`);
    }
  });

  it("has examples that the schemas accept", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: true });
    ajv.addSchema({ $id: "document", components: document.components });
    const check = (schema: Schema, example: unknown, where: string) => {
      const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
      assert.ok(ajv.validate(own, example), `${where}: ${ajv.errorsText()}: ${JSON.stringify(example)}`);
    };
    for (const { field, where } of allFields) if (field.examples) check(field, field.examples[0], where);
    for (const { operation } of operations)
      for (const [where, { schema, example }] of contentsOf(operation)) {
        if (schema.type === "string") continue;
        assert.notEqual(example, undefined, where);
        check(schema, example, where);
      }
  });

  it("has examples of requests that the service accepts", () => {
    for (const { method, operation } of operations) {
      const route = routes.find(({ id }) => id === operation.operationId)!;
      assert.equal(route.method, method);
      const example = operation.requestBody?.content["application/json"]?.example;
      if (!route.body || example === undefined) continue;
      const parsed = route.body.safeParse(example);
      assert.ok(parsed.success, `${route.id}: ${JSON.stringify(example)}: ${parsed.error?.message}`);
    }
  });

  it("declares the failures of each operation with their codes", () => {
    for (const { operation } of operations) {
      const { operationId, responses } = operation;
      const statuses = Object.keys(responses).filter((status) => /^[45]/.test(status));
      for (const status of ["400", "500", "503"]) assert.ok(statuses.includes(status), operationId);
      for (const status of [...statuses, "default"]) {
        const name = responses[status]!.$ref!.split("/").at(-1)!;
        const { description, content, headers } = document.components.responses[name]!;
        assert.ok(description && content!["application/json"]!.example, name);
        assert.ok(headers!["X-Request-Id"], name);
        assert.equal(status === "429" || status === "503", "Retry-After" in headers!, name);
      }
    }
  });

  it("has the header parameters of the operations that read them", () => {
    const headersOf = ({ parameters = [] }: Operation) =>
      parameters.flatMap(({ $ref }) => ($ref ? [$ref.split("/").at(-1)] : []));
    for (const { method, operation } of operations) {
      const creates = method === "post" && "201" in operation.responses;
      assert.equal(headersOf(operation).includes("IdempotencyKey"), creates, operation.operationId);
      const isConditional = "304" in operation.responses;
      assert.equal(headersOf(operation).includes("IfNoneMatch"), isConditional, operation.operationId);
    }
    assert.ok(operations.some(({ operation }) => headersOf(operation).includes("IfNoneMatch")));
  });
});
