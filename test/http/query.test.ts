/** Queries of the API: parameters that a route does not have, and cursors of other lists. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiRoutes } from "../../src/api.ts";
import { knownParameters } from "../../src/http/input/query.ts";
import { setUpOrganization } from "../support/set-up.ts";

let publicId: string;

const { service, owner, org } = await setUpOrganization();
for (const name of ["First", "Second", "Third"]) {
  const made = await service.call<{ skill: { publicId: string } }>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.slug, name, content: "x\n", visibility: "public" },
  });
  ({ publicId } = made.data.skill);
}
await service.settled();

const get = (path: string) => service.call<unknown[]>("GET", path, { token: owner.token });

describe("a query of the API", () => {
  it("is refused for a parameter that the route does not have, with the one that is meant", async () => {
    for (const [path, message] of [
      [
        `/api/skills?tenantId=${org.id}`,
        /^"tenantId" is not a query parameter of GET \/api\/skills\. Use "tenant_id"\.$/,
      ],
      [`/api/skills?tenant_id=${org.id}&folderId=x`, /"folderId" .*"folder_id"/],
      [`/api/tenants/${org.slug}/members?colour=blue`, /"colour" .* It has .*cursor/],
      [`/api/tenants/${org.slug}/repo-sync?verbose=1`, /"verbose" .* It has none\.$/],
      ["/api/skills?__proto__=x", /"__proto__" is not/],
      [`/api/skills?${"x".repeat(200)}=1`, /"x{50}" is not/],
    ] as const) {
      const answer = await get(path);
      assert.equal(answer.code, "invalid_request", path);
      assert.match(String(answer.body["error"]), message);
    }
  });

  it("may have other parameters only where a standard or another service adds them", async () => {
    const tolerant = apiRoutes(service.app, "0.0.0-test").filter((route) => !knownParameters(route));

    assert.deepEqual(
      tolerant.map(({ path }) => path),
      ["/api/auth/device/code", "/api/auth/device/token", "/api/webhooks/github"],
    );
    for (const path of ["/healthz?now=1", "/docs?utm_source=mail", `/s/${publicId}?utm_source=mail`])
      assert.equal((await service.raw("GET", path)).status, 200, path);
    const body = { client_id: "svc-cli" };
    assert.equal((await service.call("POST", "/api/auth/device/code?audience=x", { body })).status, 200);
  });
});

describe("a cursor", () => {
  it("is refused by other lists, even if their cursors have the same form", async () => {
    const { nextCursor } = await get("/api/explore?sort=updated&limit=1");
    assert.ok(nextCursor);

    const next = await get(`/api/explore?sort=updated&limit=1&cursor=${nextCursor}`);
    const other = await get(`/api/skills?cursor=${nextCursor}`);

    assert.deepEqual([next.status, next.data.length], [200, 1]);
    assert.equal(other.code, "invalid_request");
    assert.match(String(other.body["error"]), /^The cursor is not one of this list/);
  });
});
