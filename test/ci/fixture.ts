/** An organization whose service trusts two CI providers on this machine. */
import assert from "node:assert/strict";
import type {
  OidcExchangePayload,
  OidcPolicyPayload,
  OidcTestPayload,
} from "../../contract/payloads/accounts/ci.ts";
import { startCiIssuer, type CiIssuer } from "../support/ci/issuer.ts";
import type { Answer, TestOrg, TestService, TestUser } from "../support/service.ts";
import { closedAfter, setUpOrganization, type Clock, type ServiceSetUp } from "../support/set-up.ts";

export interface CiFixture {
  service: TestService;
  owner: TestUser;
  org: TestOrg;
  github: CiIssuer;
  gitlab: CiIssuer;
  /** Moves the clock of the service. */
  advance: Clock["advance"];
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
}

export const terms = {
  github: { provider: "github", repository: "acme/skills", ref: "refs/heads/main" },
  gitlab: { provider: "gitlab", repository: "acme/tools/skills", ref: "main" },
};

export async function setUpCi(options: ServiceSetUp = {}): Promise<CiFixture> {
  const github = await closedAfter(startCiIssuer("github"));
  const gitlab = await closedAfter(startCiIssuer("gitlab"));
  const { service, clock, owner, org } = await setUpOrganization({
    oidc: {
      issuers: [
        { provider: "github", issuer: github.url },
        { provider: "gitlab", issuer: gitlab.url },
      ],
      privateNetwork: true,
    },
    ...options,
  });
  const base = `/api/tenants/${org.id}/oidc-policies`;
  const fixture: CiFixture = {
    service,
    owner,
    org,
    github,
    gitlab,
    advance: clock.advance,
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
  };
  return fixture;
}
