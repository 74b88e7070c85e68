/** An organization and the calls about its tokens, as the tests of tokens use it. */
import assert from "node:assert/strict";
import type {
  CreatedOrganizationTokenPayload,
  OrganizationTokenPayload,
} from "../../contract/payloads/accounts/tokens.ts";
import type { Answer, TestOrg, TestService, TestUser } from "../support/service.ts";
import { setUpOrganization, type Clock } from "../support/set-up.ts";

interface Caller {
  token: string;
}

export interface TokenFixture {
  service: TestService;
  owner: TestUser;
  org: TestOrg;
  /** Moves the clock of the service; a negative span moves it back. */
  advance: Clock["advance"];
  /** The calls about tokens of the organization, or of another one. */
  create(by: Caller, fields?: object, ref?: string): Promise<Answer<CreatedOrganizationTokenPayload>>;
  list(by: Caller, query?: string, ref?: string): Promise<Answer<OrganizationTokenPayload[]>>;
  revoke(by: Caller, id: string, ref?: string): Promise<Answer>;
  /** A token that was created. */
  made(by: Caller, fields?: object, ref?: string): Promise<CreatedOrganizationTokenPayload>;
  revokeAll(): Promise<void>;
  /** The status of a call by a token that should see the organization. */
  statusOf(token: string): Promise<number>;
  newRole(permissions: object): Promise<string>;
}

export async function setUpTokens(): Promise<TokenFixture> {
  const { service, clock, owner, org } = await setUpOrganization();
  const fixture: TokenFixture = {
    service,
    owner,
    org,
    advance: clock.advance,
    create: ({ token }, fields = {}, ref = org.id) =>
      service.call("POST", `/api/tenants/${ref}/tokens`, { token, body: { name: "deploy", ...fields } }),
    list: ({ token }, query = "", ref = org.id) =>
      service.call("GET", `/api/tenants/${ref}/tokens${query}`, { token }),
    revoke: ({ token }, id, ref = org.id) =>
      service.call("DELETE", `/api/tenants/${ref}/tokens/${id}`, { token }),
    async made(by, fields, ref) {
      const answer = await fixture.create(by, fields, ref);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.data;
    },
    async revokeAll() {
      const { data } = await fixture.list(owner, "?limit=200");
      await Promise.all(data.map(({ id }) => fixture.revoke(owner, id)));
    },
    statusOf: async (token) =>
      (await service.call("GET", `/api/skills?tenant_id=${org.id}`, { token })).status,
    async newRole(permissions) {
      const answer = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
        token: owner.token,
        body: { name: `Role ${service.app.newId()}`, permissions },
      });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.data.id;
    },
  };
  return fixture;
}
