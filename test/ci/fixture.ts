/** An organization whose service trusts two CI providers on this machine. */
import assert from "node:assert/strict";
import type { OidcExchangePayload, OidcPolicyPayload, OidcTestPayload } from "../../contract/payloads/ci.ts";
import { startCiIssuer, type CiIssuer } from "../support/ci/issuer.ts";
import {
  startService,
  type Answer,
  type ServiceOptions,
  type TestOrg,
  type TestService,
  type TestUser,
} from "../support/service.ts";

export interface CiFixture {
  service: TestService;
  owner: TestUser;
  org: TestOrg;
  github: CiIssuer;
  gitlab: CiIssuer;
  /** Moves the clock of the service. */
  advance(ms: number): void;
  /** A policy that trusts the default run of a provider; `fields` replace its own. */
  trust(provider: "github" | "gitlab", fields?: object): Promise<OidcPolicyPayload>;
  create(fields: object, by?: TestUser): Promise<Answer<OidcPolicyPayload>>;
  change(id: string, fields: object): Promise<Answer<OidcPolicyPayload>>;
  exchange(token: string, team?: string): Promise<Answer<OidcExchangePayload>>;
  test(token: string): Promise<Answer<OidcTestPayload>>;
  /** The status of a call by a token that should see the organization. */
  statusOf(token: string): Promise<number>;
  /** Deletes all policies. */
  distrust(): Promise<void>;
  close(): Promise<void>;
}

export const terms = {
  github: { provider: "github", repository: "acme/skills", ref: "refs/heads/main" },
  gitlab: { provider: "gitlab", repository: "acme/tools/skills", ref: "main" },
};

export async function startCiFixture(options: ServiceOptions = {}): Promise<CiFixture> {
  let aheadMs = 0;
  const [github, gitlab] = await Promise.all([startCiIssuer("github"), startCiIssuer("gitlab")]);
  const service = await startService({
    now: () => new Date(Date.now() + aheadMs),
    oidc: {
      issuers: [
        { provider: "github", issuer: github.url },
        { provider: "gitlab", issuer: gitlab.url },
      ],
      privateNetwork: true,
    },
    ...options,
  });
  const owner = await service.newUser();
  const org = await service.newOrg(owner);
  const base = `/api/tenants/${org.id}/oidc-policies`;
  const fixture: CiFixture = {
    service,
    owner,
    org,
    github,
    gitlab,
    advance: (ms) => void (aheadMs += ms),
    create: (fields, by = owner) => service.call("POST", base, { token: by.token, body: fields }),
    async trust(provider, fields = {}) {
      const made = await fixture.create({
        name: `Policy ${service.app.newId()}`,
        scopes: { skill: ["read", "create", "update"] },
        ...terms[provider],
        ...fields,
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.data;
    },
    change: (id, fields) => service.call("PATCH", `${base}/${id}`, { token: owner.token, body: fields }),
    exchange: (token, team = org.slug) =>
      service.call("POST", "/api/auth/oidc/exchange", { body: { token, team } }),
    test: (token) => service.call("POST", `${base}/test`, { token: owner.token, body: { token } }),
    statusOf: async (token) =>
      (await service.call("GET", `/api/skills?tenant_id=${org.id}`, { token })).status,
    async distrust() {
      const { data } = await service.call<OidcPolicyPayload[]>("GET", base, { token: owner.token });
      for (const { id } of data) await service.call("DELETE", `${base}/${id}`, { token: owner.token });
    },
    async close() {
      await service.close();
      await Promise.all([github.close(), gitlab.close()]);
    },
  };
  return fixture;
}
