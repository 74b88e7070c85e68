/**
 * The whole built service behind the proxy of a company: every server that it requests has a name that only the proxy
 * resolves, and a certificate that only the proxy accepts, which signs another in its place.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createServer as createPlainServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import type { ConnectorPayload } from "../../contract/payloads/connectors.ts";
import { startUpstream } from "../connectors/upstream.ts";
import { startCiIssuer } from "../support/ci/issuer.ts";
import { sharedEngines } from "../support/engine.ts";
import { startGitHub } from "../support/host/github-stub.ts";
import { callApi, newAccount, newOrganization } from "../support/http-client.ts";
import {
  makeCertificate as makeServerCertificate,
  startSquid,
  whyNoSquid,
} from "../support/proxies/squid.ts";
import { runServer, removeFolder, startServer, temporaryFolder } from "../support/server.ts";
import { makeCertificate } from "../support/sso/certificate.ts";
import { idpEntityId, metadataXml } from "../support/sso/fixture.ts";
import { startTestProvider } from "../support/sso/oidc-provider.ts";
import { until } from "../support/until.ts";

const hosts = ["github", "idp", "mcp", "catalog", "client", "vscode", "ci", "plain", "saml"].map(
  (name) => `${name}.company.test`,
);

describe("a service behind a proxy", { skip: whyNoSquid() }, async () => {
  const dataDir = temporaryFolder("outbound");
  const closers: (() => Promise<unknown>)[] = [];
  /** Requests that arrived, as `host path`, and those of them that the proxy had not sent. */
  const arrived: string[] = [];
  const direct: string[] = [];

  const addressOf = (name: string) => `https://${name}.company.test:${port}`;

  /** Ends TLS in front of the servers of other tests. */
  function answer(request: IncomingMessage, response: ServerResponse): void {
    const name = request.headers.host?.split(".")[0] ?? "";
    const label = `${name} ${request.url?.split("?")[0]}`;
    arrived.push(label);
    if (!request.headers.via?.includes("proxy.company.test")) direct.push(label);
    const target = {
      github: github.url,
      idp: provider.url,
      mcp: new URL(upstream.url).origin,
      ci: ci.url,
    }[name];
    if (target !== undefined) {
      const { method, headers } = request;
      const sent = forward(`${target}${request.url}`, { method, headers }, (received) => {
        response.writeHead(received.statusCode!, received.headers);
        received.pipe(response);
      });
      sent.on("error", () => response.destroy());
      request.pipe(sent);
      return;
    }
    if (name === "saml" || name === "plain") {
      response.writeHead(200, { "content-type": "application/samlmetadata+xml" });
      response.end(metadataXml([makeCertificate().der]));
      return;
    }
    const client = { client_id: `${addressOf("client")}/client.json`, client_name: "Editor" };
    const body =
      name === "client" ? { ...client, redirect_uris: ["http://127.0.0.1/"] } : { servers: [], metadata: {} };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  const folder = temporaryFolder("outbound-certificate");
  const names = hosts.map((name) => `DNS:${name}`).join();
  const certificate = makeServerCertificate(folder, "server", [`subjectAltName=${names}`]);
  removeFolder(folder);
  const gateway = createServer(certificate, answer).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  closers.push(async () => {
    gateway.close();
    gateway.closeAllConnections();
  });
  const { port } = gateway.address() as AddressInfo;
  const squid = await startSquid(hosts, certificate);
  closers.push(() => squid.close());
  const github = await startGitHub();
  closers.push(() => github.close());
  const provider = await startTestProvider(addressOf("idp"));
  closers.push(() => provider.close());
  const upstream = await startUpstream();
  closers.push(() => upstream.close());
  const plainGateway = createPlainServer(answer).listen(0, "127.0.0.1");
  await once(plainGateway, "listening");
  closers.push(async () => plainGateway.close());
  /** Port of the same servers without TLS. */
  const { port: plainPort } = plainGateway.address() as AddressInfo;
  const ci = await startCiIssuer("github");
  closers.push(() => ci.close());
  ci.discovery = { ...ci.discovery, issuer: addressOf("ci"), jwks_uri: `${addressOf("ci")}/keys` };
  const proxy = new URL(squid.url);
  proxy.username = squid.user;
  proxy.password = squid.password;
  const env = {
    ...(await sharedEngines()),
    HTTPS_PROXY: proxy.href,
    HTTP_PROXY: proxy.href,
    NO_PROXY: "10.0.0.0,internal.test",
    NODE_EXTRA_CA_CERTS: squid.authorities,
    GITHUB_URL: addressOf("github"),
    GITHUB_API_URL: addressOf("github"),
    MCP_CATALOG_URL: addressOf("catalog"),
    OAUTH_CLIENT_DOCUMENTS: "true",
    OIDC_GITHUB_ISSUERS: addressOf("ci"),
    SSO_PRIVATE_NETWORK: "true",
  };
  const server = await startServer({ dataDir, env });
  const account = await newAccount(server.url, "ann", server.setupLink);
  await newOrganization(server.url, account, "acme");

  after(async () => {
    await server?.stop();
    for (const close of closers.toReversed()) await close();
    removeFolder(dataDir);
  });

  const call = <T>(method: string, path: string, body?: unknown) =>
    callApi<T>(server.url, method, path, { token: account.token, body });

  it("connects a repository at GitHub, and fetches and pushes it in a process of its own", async () => {
    const repository = await github.newRepository("acme/skills", { installed: true });
    repository.repo.commit({
      "skills/review/SKILL.md": "---\nname: review\ndescription: Reads.\n---\nRead.\n",
    });
    const token = github.newToken([repository]);
    github.allowWebhooks(token);
    const body = { host: "github-token", repository: "acme/skills", token };

    const made = await call("POST", "/api/tenants/acme/repo-sync", body);
    assert.equal(made.status, 201, made.error);

    await until(
      "the import",
      async () =>
        (await call<{ slug: string }[]>("GET", "/api/skills")).data.some(({ slug }) => slug === "review"),
      {
        timeoutMs: 300_000,
        intervalMs: 200,
        details: async () => (await call("GET", "/api/tenants/acme/repo-sync")).data,
      },
    );
    assert.ok(arrived.includes("github /repos/acme/skills"), arrived.join());
    assert.ok(arrived.includes("github /acme/skills.git/info/refs"), arrived.join());
  });

  it("signs a person in by OpenID Connect, with discovery, token, keys and user info", async () => {
    const { id: clientId, secret: clientSecret } = provider.client;
    const oidc = { issuer: provider.issuer, clientId, clientSecret };
    const path = "/api/tenants/acme/sso/providers";
    const options = { cookie: account.cookie };
    const made = await callApi<{ id: string }>(server.url, "POST", path, {
      ...options,
      body: { name: "Company", type: "oidc", oidc },
    });
    assert.equal(made.status, 201, made.error);
    const { id } = made.data;
    const test = await callApi<{ id: string; url: string }>(
      server.url,
      "POST",
      `${path}/${id}/test`,
      options,
    );
    assert.equal(test.status, 200, test.error);
    const open = (url: URL | string, cookie: string) =>
      fetch(new URL(url, server.url), { redirect: "manual", headers: { cookie } });

    const started = await open(test.data.url, account.cookie);
    const location = new URL(started.headers.get("location")!);
    const [bound] = started.headers.getSetCookie().map((one) => one.split(";")[0]!);
    const nonce = location.searchParams.get("nonce")!;
    const person = { sub: "1", email: "ada@company.test", email_verified: true, name: "Ada" };
    provider.next = { person, nonce, deviation: {} };
    const query = new URLSearchParams({ code: "code", state: location.searchParams.get("state")! });
    const ended = await open(`/sso/${id}/callback?${query.toString()}`, `${account.cookie}; ${bound}`);

    assert.equal(location.origin, provider.issuer);
    assert.ok(ended.status < 400, await ended.text());
    const { data } = await callApi<{ subject: string }>(
      server.url,
      "GET",
      `${path}/${id}/test/${test.data.id}`,
      options,
    );
    assert.equal(data.subject, "1", JSON.stringify(data));
    for (const request of ["/.well-known/openid-configuration", "/token", "/jwks"])
      assert.ok(arrived.includes(`idp ${request}`), `${request}: ${arrived.join()}`);
  });

  it("connects to a remote MCP server, and forwards calls to it", async () => {
    const { pathname } = new URL(upstream.url);
    const body = { name: "Tools", slug: "tools", transport: "http", url: addressOf("mcp") + pathname };
    const registered = await call<{ id: string }>("POST", "/api/tenants/acme/mcp-servers", body);
    assert.equal(registered.status, 201, registered.error);
    const made = await call<ConnectorPayload>("POST", "/api/user/connectors", { server: registered.data.id });
    assert.equal(made.status, 201, made.error);

    const connected = await callApi<{ connector: ConnectorPayload }>(
      server.url,
      "POST",
      `/api/user/connectors/${made.data.id}/connect`,
      { cookie: account.cookie, body: {} },
    );

    assert.equal(connected.data.connector.connectionStatus, "connected", JSON.stringify(connected));
    assert.ok(arrived.includes(`mcp ${pathname}`), arrived.join());
  });

  it("reads the metadata document of an OAuth client", async () => {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: `${addressOf("client")}/client.json`,
      redirect_uri: "http://127.0.0.1:5000/",
      code_challenge: "a".repeat(43),
      code_challenge_method: "S256",
    });

    const options = { redirect: "manual", headers: { cookie: account.cookie } } as const;
    const asked = await fetch(`${server.url}/oauth/authorize?${query.toString()}`, options);
    assert.equal(asked.status, 303);
    const page = await fetch(new URL(asked.headers.get("location")!, server.url), options);

    const shown = await page.text();
    assert.equal(page.status, 200, shown);
    assert.match(shown, /client\.company\.test/);
    assert.ok(arrived.includes("client /client.json"), shown);
  });

  it("reads the keys of a CI issuer", async () => {
    const made = await call("POST", "/api/tenants/acme/oidc-policies", {
      name: "Publish",
      provider: "github",
      repository: "acme/skills",
      ref: "refs/heads/main",
      scopes: { skill: ["read"] },
    });
    assert.equal(made.status, 201, made.error);

    const token = await ci.mint(server.url, { iss: addressOf("ci") });
    const exchanged = await callApi(server.url, "POST", "/api/auth/oidc/exchange", {
      body: { team: "acme", token },
    });

    assert.ok(exchanged.status < 300, exchanged.error);
    for (const path of ["/.well-known/openid-configuration", "/keys"])
      assert.ok(arrived.includes(`ci ${path}`), arrived.join());
  });

  it("reads the metadata of SAML providers, with https and without", async () => {
    for (const [name, metadataUrl] of [
      ["saml", `${addressOf("saml")}/metadata`],
      ["plain", `http://plain.company.test:${plainPort}/metadata`],
    ] as const) {
      const made = await callApi<{ saml: { entityId: string } }>(
        server.url,
        "POST",
        "/api/tenants/acme/sso/providers",
        { cookie: account.cookie, body: { name, type: "saml", saml: { metadataUrl } } },
      );

      assert.equal(made.status, 201, made.error);
      assert.equal(made.data.saml.entityId, idpEntityId);
      assert.ok(arrived.includes(`${name} /metadata`), arrived.join());
    }
  });

  it("reads the catalog of MCP servers", async () => {
    const [waiting] = await call<{ id: string }[]>("GET", "/api/admin/jobs?queue=catalog&state=delayed").then(
      ({ data }) => data,
    );
    const id = encodeURIComponent(waiting!.id);
    const promoted = await call("POST", `/api/admin/jobs/catalog/${id}/promote`, { reason: "A test." });
    assert.ok(promoted.status < 300, promoted.error);

    await until("the catalog", () => arrived.some((label) => label.startsWith("catalog ")), {
      timeoutMs: 300_000,
      details: async () => arrived,
    });
  });

  it("sends none of its requests directly, and logs no password of the proxy", () => {
    assert.deepEqual(direct, []);
    for (const name of ["github", "idp", "mcp", "client", "ci", "saml", "catalog"])
      assert.match(squid.log(), new RegExp(`CONNECT ${name}\\.company\\.test:${port} ${squid.user} `));
    assert.match(
      squid.log(),
      new RegExp(`GET http://plain\\.company\\.test:${plainPort}/metadata ${squid.user} `),
    );
    assert.doesNotMatch(server.output(), /p(@|%40)ss/);
  });

  it("is diagnosed: a proxy that does not respond is a problem, and a network of its own is none", async () => {
    const { HTTPS_PROXY: _secure, HTTP_PROXY: _plain, ...without } = env;
    const asking = {
      ...without,
      OAUTH_CLIENT_DOCUMENTS: "",
      MCP_CATALOG_URL: "none",
      BASE_URL: addressOf("vscode"),
    };
    const diagnose = (changed: Record<string, string>) =>
      runServer({ dataDir, env: { ...asking, ...changed }, args: ["doctor"] });
    const [isolated, broken] = [await diagnose({}), await diagnose({ HTTPS_PROXY: "http://127.0.0.1:9" })];

    assert.equal(isolated.code, 0, isolated.output);
    assert.match(isolated.output, /^note +address +Not checked: .*could not resolve vscode\.company\.test/m);
    // A machine of a developer may reach public hosts.
    assert.match(isolated.output, /^(note +outbound +Public hosts can't be reached|ok +outbound)/m);
    assert.equal(broken.code, 1, broken.output);
    assert.match(broken.output, /^problem +outbound +Public hosts can't be reached, .*127\.0\.0\.1:9/m);
  });
});
