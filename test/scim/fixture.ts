/** An organization with SCIM, and its identity provider as a client. */
import assert from "node:assert/strict";
import type { ScimLogEntryPayload, ScimTokenPayload } from "../../contract/payloads/accounts/scim.ts";
import { cleanUpAfterMember } from "../../workers/orgs/member-left.ts";
import { confirmAddress } from "../support/organization.ts";
import type { TestOrg, TestService, TestUser } from "../support/service.ts";
import { newOrganization, setUpService, type Clock, type ServiceSetUp } from "../support/set-up.ts";
import { verifyDomain } from "../support/sso/fixture.ts";

export type Json = Record<string, unknown>;

export interface ScimAnswer {
  status: number;
  headers: Headers;
  body: Json & { id: string; detail?: string; scimType?: string; Resources: (Json & { id: string })[] };
}

/** An identity provider of one organization. */
export interface Provider {
  org: TestOrg;
  owner: TestUser;
  base: string;
  token: string;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ScimAnswer>;
  /** The same, which must succeed. */
  ok(method: string, path: string, body?: unknown): Promise<ScimAnswer["body"]>;
  /** A new user by the address `name@example.com`. */
  newUser(name: string, fields?: Json): Promise<ScimAnswer["body"]>;
  members(): Promise<{ username: string; role: string; teamIds: string[]; userId: string }[]>;
  events(action: string): Promise<{ resourceId: string; metadata: Json }[]>;
  log(): Promise<ScimLogEntryPayload[]>;
}

export const patchOp = (...operations: Json[]) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations: operations,
});

export const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** A service, with the identity provider of an organization on it. */
export async function setUpScim(
  domain?: string | null,
  options?: ServiceSetUp,
): Promise<{ service: TestService; clock: Clock; provider: Provider }> {
  const started = await setUpService(options);
  return { ...started, provider: await newProvider(started.service, { domain }) };
}

/** An identity provider of a new organization, which has verified `domain` unless that is null. */
export async function newProvider(
  service: TestService,
  { domain = "example.com" }: { domain?: string | null } = {},
): Promise<Provider> {
  const { owner, org } = await newOrganization(service);
  await confirmAddress(service, owner);
  const enabled = await service.call<ScimTokenPayload>("POST", `/api/tenants/${org.id}/scim`, {
    cookie: owner.cookie,
    body: {},
  });
  assert.equal(enabled.status, 201, JSON.stringify(enabled.body));
  if (domain !== null) await moveDomain(service, org, domain);
  return providerOf(service, org, owner, enabled.data);
}

/** Makes a domain a verified one of an organization, and of no other one. */
export async function moveDomain(service: TestService, org: TestOrg, domain: string): Promise<void> {
  await loseDomain(service, domain);
  await verifyDomain(service, org, domain);
}

/** Ends the verification of a domain, as when its record is gone. */
export async function loseDomain(service: TestService, domain: string): Promise<void> {
  const { storage, now } = service.app;
  const claim = await storage.ssoDomains.findVerified(domain);
  if (claim) await storage.ssoDomains.markRemoved(claim._id, now(), []);
}

export function providerOf(
  service: TestService,
  org: TestOrg,
  owner: TestUser,
  { baseUrl: base, token }: ScimTokenPayload,
): Provider {
  const provider: Provider = {
    org,
    owner,
    base,
    token,
    async send(method, path, body, headers = {}) {
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${provider.token}`,
          ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (text !== "")
        assert.match(answer.headers.get("content-type") ?? "", /^application\/scim\+json/, text);
      const read = (text === "" ? {} : JSON.parse(text)) as ScimAnswer["body"];
      if (answer.status >= 400) {
        assert.deepEqual(read["schemas"], ["urn:ietf:params:scim:api:messages:2.0:Error"], text);
        assert.equal(read["status"], String(answer.status));
        assert.match(String(read.detail), /^\S.*[.!]$/s, text);
      }
      return { status: answer.status, headers: answer.headers, body: read };
    },
    async ok(method, path, body) {
      const answer = await provider.send(method, path, body);
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    newUser: (name, fields = {}) =>
      provider.ok("POST", "/Users", {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: `${name}@example.com`,
        name: { givenName: name, familyName: "Example" },
        emails: [{ primary: true, type: "work", value: `${name}@example.com` }],
        active: true,
        ...fields,
      }),
    members: () => service.app.storage.memberships.list({ tenantId: org.id, limit: 1000 }),
    async events(action) {
      await service.settled();
      const log = await service.call<{ entries: { resourceId: string; metadata: Json }[] }>(
        "GET",
        `/api/tenants/${org.id}/audit-log?action=${action}`,
        { token: owner.token },
      );
      return log.data.entries;
    },
    async log() {
      await service.settled();
      const log = await service.call<ScimLogEntryPayload[]>("GET", `/api/tenants/${org.id}/scim/log`, {
        token: owner.token,
      });
      return log.data;
    },
  };
  return provider;
}

/** Runs the job that follows the end of a membership. */
export async function afterLeaving(service: TestService, org: TestOrg, userId: string): Promise<void> {
  await service.settled();
  await cleanUpAfterMember(service.app, { tenantId: org.id, userId });
}
