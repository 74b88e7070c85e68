/** A server that requires tokens of an authorization server, and the connections of users to it. */
import assert from "node:assert/strict";
import { beforeEach } from "node:test";
import type { ConnectorPayload } from "../../contract/payloads/connectors.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { closedAfter } from "../support/set-up.ts";
import { protect, startAuthorizationServer, type AuthorizationServer } from "./authorization-server.ts";
import { setUpConnectors, type CentralFixture } from "./fixture.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

interface GuardedFixture {
  /** Ends all faults. */
  reset(): void;
  /** Begins the connection of a new connector, and returns it with the address at the provider. */
  begin(as: TestUser, server?: string): Promise<{ id: string; url: string }>;
  /** Visits the callback as the browser of a user, and returns where it leads. */
  callBack(callback: URL, as: TestUser | null): Promise<string>;
  /** A new connector, connected. */
  connect(as: TestUser, server?: string): Promise<ConnectorPayload>;
  /** Calls a tool as an agent of a user does. */
  callTool(as: TestUser): Promise<{ text: string; isError: boolean; facts: string }>;
  /** Bodies of requests for tokens, and for their revocation. */
  tokenRequests(grant: "authorization_code" | "refresh_token"): URLSearchParams[];
  revocations(): URLSearchParams[];
}

/** The result of `callTool`. */
export const works = { text: "echo x", isError: false, facts: "" };

export let guarded: GuardedFixture;
export let central: CentralFixture;
export let upstream: Upstream;
export let authorization: AuthorizationServer;
/** A member of the organization, another one in each test. */
export let user: TestUser;

/** Starts the server for the tests of a file, each of which begins without faults. */
export async function serveGuarded(): Promise<void> {
  central = await setUpConnectors();
  upstream = await closedAfter(startUpstream());
  authorization = await closedAfter(startAuthorizationServer());
  await central.register("guarded", upstream.url);
  guarded = makeGuarded();
  beforeEach(async () => {
    user = await newMember(central.service, central.org, "member");
    guarded.reset();
  });
}

function makeGuarded(): GuardedFixture {
  const bodiesAt = (at: string) =>
    authorization.requests
      .filter(({ path, body }) => path === at && body !== "")
      .map(({ body }) => new URLSearchParams(body));
  const fixture: GuardedFixture = {
    reset() {
      protect(upstream, authorization);
      authorization.fault = undefined;
    },
    async begin(as, server = "guarded") {
      const made = await central.create(server, as);
      const begun = await central.connect(made.data.id, {}, as);
      assert.equal(begun.status, 200, begun.error);
      assert.ok(begun.data.authorizationUrl, JSON.stringify(begun.body));
      return { id: made.data.id, url: begun.data.authorizationUrl };
    },
    async callBack(callback, as) {
      const options = as ? { headers: { cookie: as.cookie } } : {};
      const response = await central.service.raw("GET", callback.pathname + callback.search, options);
      assert.equal(response.status, 303, await response.text());
      return response.headers.get("location")!;
    },
    async connect(as, server) {
      const { id, url } = await fixture.begin(as, server);
      await fixture.callBack(await authorization.authorize(url), as);
      const connector = await central.read(id, as);
      assert.equal(connector.connectionStatus, "connected", JSON.stringify(connector));
      return connector;
    },
    async callTool(as) {
      const params = { name: "guarded__echo", arguments: { text: "x" } };
      const { body } = await central.post("tools/call", params, as.token);
      assert.ok(body.result, JSON.stringify(body));
      const [text, facts] = body.result.content.map((part) => part.text);
      return { text: text!, isError: body.result.isError === true, facts: facts ?? "" };
    },
    tokenRequests: (grant) => bodiesAt("/token").filter((body) => body.get("grant_type") === grant),
    revocations: () => bodiesAt("/token/revocation"),
  };
  return fixture;
}
