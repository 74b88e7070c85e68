/** The token of a call, as `svc whoami` shows it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CurrentTokenPayload } from "../../contract/payloads/accounts/tokens.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import type { CallOptions } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

const read = (options: CallOptions) =>
  service.call<CurrentTokenPayload>("GET", "/api/user/tokens/current", options);

async function newToken(path: string, body: object): Promise<string> {
  const made = await service.call<{ token: string }>("POST", path, { token: owner.token, body });
  assert.equal(made.status, 201, made.error);
  return made.data.token;
}

describe("GET /api/user/tokens/current", () => {
  it("returns an organization token with its organization, name and scopes, however narrow", async () => {
    const scopes = { auditLog: ["read"] };
    const token = await newToken(`/api/tenants/${org.id}/tokens`, { name: "Auditor", scopes });

    const { status, data, body } = await read({ token });

    assert.equal(status, 200);
    assert.deepEqual([data.name, data.scopes], ["Auditor", scopes]);
    assert.deepEqual(data.organization, { tenantId: org.id, slug: org.slug, name: org.slug });
    assert.ok(!JSON.stringify(body).includes(token.slice(5)));
  });

  it("returns a personal token without an organization, also a narrowed one", async () => {
    const scopes = { skill: ["read"] };
    const token = await newToken("/api/user/tokens", { name: "Reader", scopes });

    const { data } = await read({ token });

    assert.deepEqual([data.name, data.scopes, data.organization], ["Reader", scopes, undefined]);
  });

  it("is refused in a session, and to a visitor", async () => {
    const session = await read({ cookie: owner.cookie });
    const visitor = await read({});

    assert.deepEqual([session.status, session.code], [422, "refused"]);
    assert.equal(visitor.status, 401);
  });
});

describe("svc whoami with a token of an organization", () => {
  it("shows organization, name and scopes", async (t) => {
    const home = await temporaryFolder(t);
    const scopes = { skill: ["read", "create"] };
    const narrow = await newToken(`/api/tenants/${org.id}/tokens`, { name: "CI of kit", scopes });
    const whole = await newToken(`/api/tenants/${org.id}/tokens`, { name: "Everything" });
    const run = (token: string, ...flags: string[]) =>
      svc(["whoami", ...flags], { home, env: { SVC_API_URL: service.url, SVC_TOKEN: token } });

    const text = await run(narrow);
    const json = await run(narrow, "-o", "json");
    const all = await run(whole);

    assert.equal(text.code, 0, text.stderr);
    assert.match(
      text.stdout,
      /a token of the organization\ntoken: CI of kit\nscopes: skill:read skill:create\n/,
    );
    assert.deepEqual((json.data as { token: object }).token, { name: "CI of kit", scopes });
    assert.match(all.stdout, /token: Everything\nscopes: all\n/);
  });
});
