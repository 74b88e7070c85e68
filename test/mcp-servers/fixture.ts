/** One service with an organization, for the tests of registered MCP servers. */
import assert from "node:assert/strict";
import type { McpServerPayload } from "../../contract/payloads/mcp-servers.ts";
import { newMember } from "../support/organization.ts";
import type { Answer, TestOrg, TestService, TestUser } from "../support/service.ts";
import { newOrganization, setUpService, type ServiceSetUp } from "../support/set-up.ts";

export interface Fixture {
  service: TestService;
  org: TestOrg;
  owner: TestUser;
  /** Has the role `member`, which reads servers. */
  member: TestUser;
  base: string;
  create(body: object, user?: TestUser): Promise<Answer<McpServerPayload>>;
  /** A registered server. */
  created(body: object): Promise<McpServerPayload>;
  change(slug: string, body: object, user?: TestUser): Promise<Answer<McpServerPayload>>;
  find(ref: string, user?: TestUser): Promise<Answer<McpServerPayload[]>>;
  eventsOf(action: string): Promise<{ resourceId: string; metadata: Record<string, unknown> }[]>;
}

export const remote = { transport: "http", url: "https://mcp.example.com/mcp" };
export const local = { transport: "stdio", command: "npx", args: ["-y", "@example/files"] };

export async function setUpServers(options: ServiceSetUp = {}): Promise<Fixture> {
  const { service } = await setUpService(options);
  // The first account is the service's administrator, who can see more.
  await service.newUser();
  const { owner, org } = await newOrganization(service);
  const member = await newMember(service, org, "member");
  const base = `/api/tenants/${org.slug}/mcp-servers`;
  const fixture: Fixture = {
    service,
    org,
    owner,
    member,
    base,
    create: (body, user = owner) => service.call("POST", base, { token: user.token, body }),
    async created(body) {
      const made = await fixture.create(body);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.data;
    },
    change: (slug, body, user = owner) =>
      service.call("PATCH", `${base}/${slug}`, { token: user.token, body }),
    find: (ref, user = owner) =>
      service.call("GET", `/api/mcp-servers?ref=${encodeURIComponent(ref)}`, { token: user.token }),
    async eventsOf(action) {
      await service.settled();
      const path = `/api/tenants/${org.slug}/audit-log?action=${action}`;
      const log = await service.call<{
        entries: { resourceId: string; metadata: Record<string, unknown> }[];
      }>("GET", path, { token: owner.token });
      return log.data.entries;
    },
  };
  return fixture;
}
