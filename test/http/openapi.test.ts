import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { failures } from "../../contract/errors.ts";
import { apiRoutes } from "../../src/api.ts";
import { root } from "../support/root.ts";
import { setUpService } from "../support/set-up.ts";

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

const { service } = await setUpService();
const document = (await (await service.raw("GET", "/api/openapi.json")).json()) as Description;

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Every value of a key, at any depth. */
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
  it("is OpenAPI 3.1 and contains every route of the service, and no other", () => {
    assert.match(document.openapi, /^3\.1\.\d$/);
    assert.ok(document.info.title && document.info.version);
    assert.deepEqual(document.servers, [{ url: service.url, description: "this service" }]);
    const declared = apiRoutes(service.app, "0.0.0-test").map(
      (route) => `${route.method} ${route.path.replace(/[:*](\w+)/g, "{$1}")}`,
    );
    const described = operations().map(({ method, path }) => `${method} ${path}`);
    assert.equal(new Set(declared).size, declared.length, "no route is declared twice");
    assert.deepEqual(described.sort(), declared.sort());
  });

  it("contains the same routes as docs/reference/api.md", () => {
    const text = readFileSync(join(root, "docs/reference/api.md"), "utf8");

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

  it("contains the name, parameters, responses and errors of each operation", () => {
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
      assert.equal(Object.keys(operation.responses).includes("default"), true, where);
      // Deleting an account requires the password; without a body it is refused, and no other DELETE has a body.
      const takesBody = ["post", "put", "patch"].includes(method) || path === "/api/user/account";
      assert.equal(takesBody || !operation.requestBody, true, where);
    }
    const failure = document.components.schemas["Failure"]!.properties!["code"] as { enum: string[] };
    assert.deepEqual(failure.enum, Object.keys(failures));
  });

  it("bounds each list that has no pages, with the reason", () => {
    const lists = operations().flatMap(({ path, method, operation }) => {
      const content = operation.responses["200"]?.content?.["application/json"]?.schema.properties;
      const data = content?.["data"];
      return data?.type === "array" && !content?.["nextCursor"] ? [{ where: `${method} ${path}`, data }] : [];
    });
    assert.ok(lists.length > 0);
    for (const { where, data } of lists) {
      assert.ok(Number(data["maxItems"]) > 0, where);
      assert.ok(data["description"], where);
    }
  });

  it("is also where tools look for it", async () => {
    const response = await service.raw("GET", "/openapi.json");

    assert.deepEqual(await response.json(), document);
  });

  it("has OAuth's form of failures for the sign-in of devices, as their responses do", async () => {
    const { properties, required } = document.components.schemas["OauthFailure"]!;
    for (const path of ["/api/auth/device/code", "/api/auth/device/token"]) {
      const described = document.paths[path]!["post"]!.responses["default"] as { $ref?: string };
      assert.equal(described.$ref, "#/components/responses/OauthFailure");
      for (const body of ["{", "{}", '{"client_id":"other"}']) {
        const answer = await service.raw("POST", path, {
          bytes: Buffer.from(body),
          headers: { "content-type": "application/json" },
        });
        const fields = Object.keys((await answer.json()) as object);
        assert.equal(answer.status, 400, body);
        assert.deepEqual([fields, required], [Object.keys(properties!), fields]);
      }
    }
  });

  it("is shown by a page that only runs scripts of the service", async () => {
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
