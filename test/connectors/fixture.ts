/** A service with an organization whose registry has servers on this machine, for the tests of hosted connectors. */
import assert from "node:assert/strict";
import type {
  ConnectorPayload,
  ConnectResultPayload,
  CreatedConnectorPayload,
} from "../../contract/payloads/connectors.ts";
import type { McpServerPayload } from "../../contract/payloads/mcp-servers.ts";
import { newMember } from "../support/organization.ts";
import type { Answer, TestOrg, TestService, TestUser } from "../support/service.ts";
import { newOrganization, setUpService, type ServiceSetUp } from "../support/set-up.ts";

export interface CentralFixture {
  service: TestService;
  logged: string[];
  owner: TestUser;
  member: TestUser;
  org: TestOrg;
  /** Registers a server at an address. */
  register(slug: string, url: string, more?: object): Promise<McpServerPayload>;
  create(server: string, user?: TestUser): Promise<Answer<CreatedConnectorPayload>>;
  connect(id: string, body?: object, user?: TestUser): Promise<Answer<ConnectResultPayload>>;
  /** A connector of a user, connected. */
  connected(server: string, body?: object, user?: TestUser): Promise<ConnectorPayload>;
  read(id: string, user?: TestUser): Promise<ConnectorPayload>;
  list(user?: TestUser): Promise<ConnectorPayload[]>;
  /** Sends a message to the endpoint, as an agent with a token, or without one. */
  post(method: string, params: object, token?: string): Promise<Posted>;
}

export interface Posted {
  status: number;
  challenge: string | null;
  body: {
    result?: { isError?: boolean; content: { text: string }[]; tools?: { name: string }[] };
    error?: { code: number; message: string; data?: unknown };
  };
}

/** On a slow machine, a server that responds at once must not be left out, nor reported later. */
export const mcpCentral = { privateNetwork: true, listMs: 600_000 };

export async function setUpConnectors(options: ServiceSetUp = {}): Promise<CentralFixture> {
  const logged: string[] = [];
  const { service } = await setUpService({ logged, mcpCentral, ...options });
  // The first account is the service's administrator, who can see more.
  await service.newUser();
  const { owner, org } = await newOrganization(service);
  const member = await newMember(service, org, "member");
  const base = "/api/user/connectors";
  const fixture: CentralFixture = {
    service,
    logged,
    owner,
    member,
    org,
    async register(slug, url, more = {}) {
      const body = { name: slug, slug, transport: "http", url, allowHttp: true, ...more };
      const made = await service.call<McpServerPayload>("POST", `/api/tenants/${org.slug}/mcp-servers`, {
        token: owner.token,
        body,
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.data;
    },
    create: (server, user = member) => service.call("POST", base, { token: user.token, body: { server } }),
    connect: (id, body = {}, user = member) =>
      service.call("POST", `${base}/${id}/connect`, { cookie: user.cookie, body }),
    async connected(server, body = {}, user = member) {
      const made = await fixture.create(server, user);
      assert.equal(made.status, 201, made.error);
      const done = await fixture.connect(made.data.id, body, user);
      assert.equal(done.data?.connector.connectionStatus, "connected", JSON.stringify(done.body));
      return done.data.connector;
    },
    async read(id, user = member) {
      const answer = await service.call<ConnectorPayload>("GET", `${base}/${id}`, { token: user.token });
      assert.equal(answer.status, 200, answer.error);
      return answer.data;
    },
    async list(user = member) {
      return (await service.call<ConnectorPayload[]>("GET", base, { token: user.token })).data;
    },
    async post(method, params, token) {
      const response = await fetch(`${service.url}/mcp/central`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return {
        status: response.status,
        challenge: response.headers.get("www-authenticate"),
        body: (await response.json()) as Posted["body"],
      };
    },
  };
  return fixture;
}
