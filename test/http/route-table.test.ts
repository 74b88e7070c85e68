import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { serviceRoutes } from "../../src/api.ts";
import { knownParameters } from "../../src/http/input/query.ts";
import { openRouteTable } from "../../src/http/route-table.ts";
import { setUpService } from "../support/set-up.ts";

const methods = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"];

const { service } = await setUpService();
const routes = serviceRoutes(service.app, service.health);

const shapeOf = (pattern: string) => pattern.replace(/\w*[:*]\w+(\.git)?/g, ":");
const exampleOf = (pattern: string) => pattern.replace(/[:*]\w+/g, "zz");

describe("the route table", () => {
  it("offers at the path of a route only the methods of that path, not those of a path with parameters", () => {
    const table = openRouteTable(routes);
    for (const { path } of routes) {
      const own = routes.filter((one) => shapeOf(one.path) === shapeOf(path));
      const offered = own.map(({ method }) => method.toUpperCase());
      if (offered.includes("GET")) offered.push("HEAD");
      for (const method of methods) {
        const found = table.find(method, exampleOf(path));
        if ("declared" in found) assert.ok(own.includes(found.declared), `${method} ${path}`);
        else assert.deepEqual([...found.offered].sort(), [...new Set(offered)].sort(), `${method} ${path}`);
        assert.equal("declared" in found, offered.includes(method), `${method} ${path}`);
      }
    }
  });

  it("has a cursor for every list, except those that a limit of at most 500 keeps short", () => {
    for (const declared of routes) {
      const { method, path, page, data } = declared;
      const parameters = knownParameters(declared) ?? [];
      const isPaged = parameters.includes("cursor") && parameters.includes("limit");
      assert.equal(page === true, isPaged, `${method} ${path}: "page" and the query`);
      if (!(data instanceof z.ZodArray)) continue;
      assert.notEqual(method, "get", `${path}: a list that is read whole has pages`);
      const { maxItems = Infinity } = z.toJSONSchema(data, { unrepresentable: "any" });
      assert.ok(maxItems <= 500, `${method} ${path}: a list without a limit needs pages`);
    }
  });

  it("reports the methods of a fixed path", async () => {
    const { token } = await service.newUser();
    for (const [method, path, allow] of [
      ["PUT", "/api/skills/resolve", /^HEAD, GET\b/],
      ["DELETE", "/api/skills/resolve", /^HEAD, GET\b/],
      ["GET", "/api/skills/plan", /^POST$/],
      ["PATCH", "/api/skills/aaaaaaaaaa/versions/plan", /^POST$/],
      ["PATCH", "/api/tenants/acme/mcp-servers/catalog", /^HEAD, GET\b/],
      ["GET", "/api/tenants/acme/oidc-policies/test", /^POST$/],
    ] as const) {
      const answer = await service.call(method, path, { token });
      assert.equal(answer.code, "method_not_allowed", `${method} ${path}`);
      assert.match(answer.headers.get("allow")!, allow, `${method} ${path}`);
    }
  });
});
