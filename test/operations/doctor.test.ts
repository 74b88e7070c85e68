import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import type { Config } from "../../src/config.ts";
import { describeClock } from "../../src/operations/diagnose-servers.ts";
import { diagnose } from "../../src/operations/doctor.ts";
import { newId } from "../../storage/database.ts";
import { startGitHub } from "../support/host/github-stub.ts";
import { closedAfter, setUpOrganization } from "../support/set-up.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { startTestProvider } from "../support/sso/oidc-provider.ts";

const { service, org } = await setUpOrganization();
const mail = await closedAfter(startSmtpServer({ extensions: ["AUTH PLAIN"] }));
const github = await closedAfter(startGitHub());
const identityProvider = await closedAfter(startTestProvider());
const catalog = createServer((request, response) => {
  const isList = request.url === "/v0.1/servers?limit=1";
  response.end(JSON.stringify(isList ? { servers: [], metadata: {} } : { message: "nothing" }));
});
await new Promise<void>((resolve) => catalog.listen(0, "127.0.0.1", resolve));
after(() => catalog.close());
const catalogUrl = `http://127.0.0.1:${(catalog.address() as AddressInfo).port}`;
const nowhere = "127.0.0.1:1";

/** Lines of the report by their names, with these settings. */
async function report(changed: Partial<Config> = {}) {
  const { app } = service;
  const config = { ...app.config, ssoPrivateNetwork: true, ...changed };
  const found = await diagnose(config, {
    openStores: async () => ({ ...app, config }),
    openQueue: async () => app.queue,
  });
  return new Map(found.map(({ name, state, text }) => [name, `${state} ${text}`]));
}

const gitHubAt = (url: string, app: Config["github"]["app"]) => ({
  ...service.app.config.github,
  apiUrl: url,
  app,
});
const app = { ...github.app, proof: "tag" as const };

async function addProvider(fields: object): Promise<string> {
  const _id = newId();
  await service.app.storage.database.raw
    .collection<{ _id: string; [field: string]: unknown }>("sso_providers")
    .insertOne({ _id, tenantId: org.id, name: _id, nameKey: _id, active: true, enabled: true, ...fields });
  return _id;
}

describe("doctor", () => {
  it("reports the servers of the configuration and of the organizations that respond", async () => {
    await addProvider({ type: "oidc", oidc: { issuer: identityProvider.issuer } });
    await addProvider({ type: "saml", saml: { entityId: "x", ssoUrl: "https://x.example/sso" } });

    const lines = await report({
      smtpUrl: mail.url.replace("smtp://", "smtp://ada:pass-word@"),
      github: gitHubAt(github.url, app),
      mcpCatalog: { url: catalogUrl, privateNetwork: true },
    });

    assert.equal(lines.get("mail"), `ok The mail server ${new URL(mail.url).host} responds`);
    assert.ok(mail.commands.some((command) => command.startsWith("AUTH PLAIN")));
    assert.equal(mail.received.length, 0);
    assert.equal(lines.get("github app"), `ok The App svc-test (${app.id}) authenticates at ${github.url}`);
    assert.equal(lines.get("catalog"), `ok The catalog at ${new URL(catalogUrl).host} responds`);
    assert.equal(
      lines.get("identity"),
      "ok Identity providers that respond: 1; without an address of their metadata: 1",
    );
    assert.match(lines.get("clock")!, /^(ok Differs by 0\.\d s from|note Not checked: no engine)/);
  });

  it("reports those that don't respond or refuse, with the remedy and without secrets", async () => {
    const silent = await addProvider({ type: "oidc", oidc: { issuer: `http://${nowhere}` } });
    const other = await addProvider({ type: "oidc", oidc: { issuer: `${identityProvider.url}/` } });
    mail.replies.AUTH = ["535 5.7.8 no, pass-word is wrong"];

    const refused = await report({
      smtpUrl: mail.url.replace("smtp://", "smtp://ada:pass-word@"),
      github: gitHubAt(github.url, { ...app, id: 1 }),
      mcpCatalog: { url: `${catalogUrl}/other`, privateNetwork: true },
    });
    const absent = await report({
      smtpUrl: `smtp://ada:pass-word@${nowhere}`,
      github: gitHubAt(`http://${nowhere}`, { ...app, privateKey: "pass-word" }),
      mcpCatalog: { url: `http://${nowhere}`, privateNetwork: true },
    });

    const host = new URL(mail.url).host;
    assert.equal(
      refused.get("mail"),
      `problem The mail server ${host} can't be used (EAUTH 535): correct the user and the password in SMTP_URL.`,
    );
    assert.match(refused.get("github app")!, /^problem Authenticating as the App: .* Check GITHUB_APP_ID/);
    assert.match(
      refused.get("catalog")!,
      /^problem The catalog can't be read: .* does not send a list of MCP servers\. Check MCP_CATALOG_URL/,
    );
    assert.match(refused.get("identity")!, /^problem 2 of 4 identity providers can't be read\. /);
    assert.ok(refused.get("identity")!.includes(`${silent}: The discovery document of the issuer could not`));
    assert.ok(refused.get("identity")!.includes(`${other}: The discovery document`));
    assert.match(absent.get("mail")!, /^problem .*ECONNREFUSED 127\.0\.0\.1:1\): check SMTP_URL\.$/);
    assert.match(absent.get("github app")!, /^problem The private key can't be used\. Check GITHUB_APP_ID/);
    assert.match(absent.get("catalog")!, /^problem The catalog can't be read: /);
    assert.doesNotMatch(JSON.stringify([...refused.values(), ...absent.values()]), /pass-word/);
  });

  it("notes what is not configured", async () => {
    await service.app.storage.database.raw.collection("sso_providers").deleteMany({});

    const lines = await report({ smtpUrl: undefined, mcpCatalog: { url: undefined, privateNetwork: false } });

    for (const name of ["mail", "github app", "catalog", "identity"])
      assert.match(lines.get(name)!, /^note Not configured: /, name);
  });

  it("reports the topology and the write concern of the database, and the policy of Redis", async () => {
    const lines = await report({
      mongodbUrl: "mongodb://db.example/",
      redisUrl: process.env["SVC_TEST_REDIS_URL"],
    });

    assert.match(
      lines.get("database")!,
      /^ok MongoDB \S+, a server, (standalone|replica set \S+ of \d+), write concern (of the server|\S+)/,
    );
    if (process.env["SVC_TEST_REDIS_URL"] === undefined) return;
    assert.match(lines.get("queue")!, /^ok Redis \d\S+, noeviction$/);
    assert.match(lines.get("clock")!, /^ok Differs by .*0\.\d s from that of Redis$/);
  });

  it("reports a clock that differs by more than sign-ins tolerate", () => {
    assert.deepEqual(describeClock([{ from: "the database", ms: -200 }]), {
      state: "ok",
      text: "Differs by 0.2 s from that of the database",
    });
    assert.throws(
      () =>
        describeClock([
          { from: "the database", ms: 200 },
          { from: "Redis", ms: -180_000 },
        ]),
      /differs by 180\.0 s from that of Redis: synchronize both \(NTP\)\.$/,
    );
  });
});
