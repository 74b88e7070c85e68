import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { failures } from "../../contract/errors.ts";
import { apiRoutes } from "../../src/api.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  [key: string]: unknown;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}
interface Description {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> };
}

let service: TestService;
let user: TestUser;
let org: TestOrg;
let document: Description;
let skillId: string;

before(async () => {
  service = await startService();
  user = await service.newUser();
  org = await service.newOrg(user);
  document = (await (await service.raw("GET", "/api/openapi.json")).json()) as Description;
  const made = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId: org.slug, name: "Described", content: "x\n" },
  });
  skillId = made.data.skill.id;
});
after(() => service.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Every value below a key, wherever it is. */
function* valuesOf(node: unknown, key: string): Generator {
  if (Array.isArray(node)) for (const item of node) yield* valuesOf(item, key);
  else if (node !== null && typeof node === "object") {
    for (const [name, value] of Object.entries(node)) {
      if (name === key) yield value;
      yield* valuesOf(value, key);
    }
  }
}

describe("the API description", () => {
  it("is OpenAPI 3.1 and names every route of the service, and no other", () => {
    assert.match(document.openapi, /^3\.1\.\d$/);
    assert.ok(document.info.title && document.info.version);
    assert.deepEqual(document.servers, [{ url: service.url }]);
    const declared = apiRoutes(service.app, "0.0.0-test").map(
      (route) => `${route.method} ${route.path.replace(/[:*](\w+)/g, "{$1}")}`,
    );
    const described = operations().map(({ method, path }) => `${method} ${path}`);
    assert.equal(new Set(declared).size, declared.length, "no route is declared twice");
    assert.deepEqual(described.sort(), declared.sort());
  });

  it("and docs/api.md tells the same routes", () => {
    const text = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");

    for (const path of Object.keys(document.paths)) assert.ok(text.includes(`${path}\``), path);
    for (const [, path] of text.matchAll(/`(?:GET|POST|PUT|PATCH|DELETE) (\/api\/[^`?]+)`/g))
      assert.ok(Object.hasOwn(document.paths, path!), path);
  });

  it("resolves every reference and uses every schema", () => {
    const refs = new Set([...valuesOf(document, "$ref")] as string[]);
    for (const ref of refs) {
      const target = ref
        .replace(/^#\//, "")
        .split("/")
        .reduce<unknown>((node, part) => (node as Record<string, unknown>)?.[part], document);
      assert.ok(target, ref);
    }
    for (const name of Object.keys(document.components.schemas))
      assert.ok(refs.has(`#/components/schemas/${name}`), `${name} is referred to`);
    for (const { operation } of operations())
      for (const requirement of operation.security)
        for (const scheme of Object.keys(requirement))
          assert.ok(document.components.securitySchemes[scheme], scheme);
  });

  it("tells of each operation its name, parameters, answers and failures", () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { path, method, operation } of operations()) {
      const where = `${method} ${path}`;
      assert.ok(operation.summary && operation.tags.length === 1, where);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      assert.deepEqual(
        declared.map((parameter) => parameter.name).sort(),
        inPath.sort((a, b) => (a! < b! ? -1 : 1)),
        where,
      );
      assert.ok(
        declared.every((parameter) => parameter.required),
        where,
      );
      const [success] = Object.keys(operation.responses).filter((status) => /^2\d\d$/.test(status));
      assert.ok(success, where);
      assert.ok(Object.keys(operation.responses[success]!.content ?? {}).length > 0, where);
      assert.ok(operation.responses["default"]!.content!["application/json"], where);
      // Deleting one's account takes the password; without a body it is refused, and nothing else deletes by one.
      const takesBody = ["post", "put", "patch"].includes(method) || path === "/api/user/account";
      assert.equal(takesBody || !operation.requestBody, true, where);
    }
    const failure = document.components.schemas["Failure"]!.properties!["code"] as { enum: string[] };
    assert.deepEqual(failure.enum, Object.keys(failures));
  });

  it("is shown by a page that runs our own files alone", async () => {
    const page = await service.raw("GET", "/docs");
    const html = await page.text();
    const policy = page.headers.get("content-security-policy")!;

    assert.equal(page.status, 200);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'(;|$)/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)[^>]*>|\son\w+=|javascript:/i);
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    assert.ok(files.length >= 3);
    for (const file of files) {
      assert.match(file, /^\/(?:docs|assets)\/[\w.-]+$/);
      const answer = await service.raw("GET", file);
      assert.equal(answer.status, 200, file);
      assert.ok((await answer.text()).length > 50, file);
      const types = { css: /^text\/css/, js: /^text\/javascript/, svg: /^image\/svg\+xml/ };
      assert.match(answer.headers.get("content-type")!, types[file.split(".").at(-1) as keyof typeof types]);
    }
  });
});

describe("any JSON at any route that takes one", () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(null, "", "\u0000", "\ud800", -0, 1e308, [], {}, "x".repeat(3000), "__proto__", {
      $ne: 1,
    }),
  );

  /** A value like what a schema asks for: often right, so that deeper checks are reached, often not. */
  function like(schema: Schema | undefined, depth = 0): fc.Arbitrary<unknown> {
    if (!schema || depth > 4) return odd;
    if (schema.$ref) return like(document.components.schemas[schema.$ref.split("/").at(-1)!], depth + 1);
    const weighted = (right: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 15, arbitrary: right }, { weight: 1, arbitrary: odd });
    const choices = (schema["anyOf"] ?? schema["oneOf"]) as Schema[] | undefined;
    if (choices) return weighted(fc.oneof(...choices.map((choice) => like(choice, depth + 1))));
    if (Array.isArray(schema["enum"])) return weighted(fc.constantFrom(...(schema["enum"] as unknown[])));
    if ("const" in schema) return weighted(fc.constant(schema["const"]));
    switch (schema.type) {
      case "object": {
        const fields = Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, field]) => [name, like(field, depth + 1)]),
        );
        const required = (schema["required"] as string[] | undefined) ?? [];
        return weighted(fc.record(fields, { requiredKeys: required }));
      }
      case "array":
        return weighted(fc.array(like(schema["items"] as Schema, depth + 1), { maxLength: 7 }));
      case "boolean":
        return weighted(fc.boolean());
      case "integer":
      case "number":
        return weighted(fc.oneof(fc.integer(), fc.constantFrom(0, 1, 2 ** 53, 0.5)));
      default:
        return weighted(
          fc.oneof(
            fc.string({ unit: "binary", maxLength: 40 }),
            fc.constantFrom(
              org.slug,
              org.id,
              skillId,
              "a",
              "1.2.3",
              "^1.0.0",
              "latest",
              "0".repeat(64),
              "a@b.co",
              "name",
            ),
          ),
        );
    }
  }

  it("is answered in the envelope and never by a failure of ours", { timeout: 60_000 }, async () => {
    const targets = operations().filter(
      ({ operation }) => operation.requestBody?.content["application/json"],
    );
    assert.ok(targets.length >= 12);
    const reached = new Set<number>();
    for (const { path, method, operation } of targets) {
      // Signing out and changing the slug would take the ground from under the other calls.
      if (/sign-out/.test(path)) continue;
      const schema = operation.requestBody!.content["application/json"]!.schema;
      const target = path
        .replace("{skill}", skillId)
        .replace("{tenant}", org.id)
        .replace(/\{\w+\}/g, "x");
      await fc.assert(
        fc.asyncProperty(like(schema), async (body) => {
          const answer = await service.call(method.toUpperCase(), target, { token: user.token, body });
          reached.add(answer.status);
          assert.ok(answer.status < 500, `${method} ${target}: ${JSON.stringify(answer.body)}`);
          if (answer.status >= 400 && !path.startsWith("/api/auth/device/"))
            assert.equal(answer.body["success"], false);
        }),
        { numRuns: 12 },
      );
    }
    for (const status of [200, 201, 400]) assert.ok(reached.has(status), `no ${status} was reached`);
  });

  it("and any text in any parameter of a read too", { timeout: 60_000 }, async () => {
    // The stream of events has no end to wait for, and takes no parameter.
    const targets = operations().filter(
      ({ method, path }) => method === "get" && path !== "/api/admin/events",
    );
    for (const { path, operation } of targets) {
      const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
      const values = fc.record(
        Object.fromEntries(parameters.map(({ name, schema }) => [name, like(schema)])),
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(values, fc.string({ unit: "grapheme", maxLength: 20 }), async (query, text) => {
          const search = new URLSearchParams();
          for (const [name, value] of Object.entries(query))
            search.append(name, typeof value === "string" ? value : JSON.stringify(value));
          const part = encodeURIComponent(text) || "x";
          const filled = path
            .replace("{skill}", text.length % 2 ? skillId : part)
            .replace(/\{\w+\}/g, part === "." || part === ".." ? "x" : part);
          const answer = await service.raw("GET", `${filled}?${search.toString()}`, { token: user.token });
          await answer.arrayBuffer();
          assert.ok(answer.status < 500, `${filled}?${search.toString()}: ${answer.status}`);
        }),
        { numRuns: 8 },
      );
    }
  });
});
