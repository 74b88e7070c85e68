/** Sequences of requests of which each is sent to another process. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { SsoProviderPayload } from "../../contract/payloads/accounts/sso.ts";
import { obtainCode } from "../oauth/fixture.ts";
import { type AccountsService, sendForm } from "../support/accounts-app.ts";
import { type Account, callApi } from "../support/http-client.ts";
import { verifyDomain } from "../support/sso/fixture.ts";
import { startTestProvider } from "../support/sso/oidc-provider.ts";
import { readEnd } from "../support/sso/saml-browser.ts";
import { makeZip } from "../support/zip.ts";
import type { Cluster } from "./cluster.ts";
import { recordsOf } from "./people.ts";

/** Announces, sends and publishes a package, each at another process, and reads it at each. */
export async function uploadAcross({ apis }: Cluster, { token }: Account, tenantId: string): Promise<void> {
  const [first, second, third] = apis.map(({ url }) => url) as [string, string, string];
  const text = "---\nname: across\ndescription: Sent to several processes.\n---\nText.\n";
  const zip = makeZip([{ name: "SKILL.md", data: text }]);
  const sha256 = createHash("sha256").update(zip).digest("hex");
  const announced = await callApi<{ uploadId: string; url: string }>(first, "POST", "/api/uploads", {
    token,
    body: { size: zip.length, sha256 },
  });
  assert.equal(announced.status, 201, announced.error);
  const sent = await fetch(second + new URL(announced.data.url).pathname, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(zip),
  });
  assert.equal(sent.status, 200, await sent.text());
  const made = await callApi<{ skill: { id: string } }>(third, "POST", "/api/skills", {
    token,
    body: { mode: "create", tenantId, name: "Across", uploadId: announced.data.uploadId },
  });
  assert.equal(made.status, 201, made.error);
  for (const url of [first, second, third]) {
    const file = await fetch(`${url}/api/skills/${made.data.skill.id}/files/SKILL.md`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(await file.text(), text);
  }
}

/** The service as a browser or program sees it behind a proxy that sends each request to the next process. */
function spread(cluster: Cluster) {
  let turn = 0;
  const next = () => cluster.apis[turn++ % cluster.apis.length]!.url;
  const service = {
    url: cluster.url,
    call: (method, target, options = {}) => sendForm(next(), cluster.url, method, target, options),
  } as AccountsService;
  return { service, next };
}

/** Registers a program, lets a person consent, and uses, renews and revokes its tokens. */
export async function useOauthAcross(cluster: Cluster, owner: Account, tenantId: string): Promise<void> {
  const { service } = spread(cluster);
  const decision = { tenantIds: [tenantId] };
  const { exchange, renew } = await obtainCode(service, owner.cookie, decision);
  const tokens = await exchange();
  assert.equal(tokens.status, 200, tokens.text);
  assert.notEqual((await exchange()).status, 200, "a code is valid once, at any process");

  const [access, refresh] = [String(tokens.body["access_token"]), String(tokens.body["refresh_token"])];
  const use = async (token: string) => {
    const statuses = new Set<number>();
    // At nginx, which sends each to the next process: the endpoint refuses other host names than its own.
    for (const _ of cluster.apis) {
      const response = await fetch(`${cluster.url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
      await response.text();
      statuses.add(response.status);
    }
    return [...statuses];
  };
  // The second exchange of a code revokes what the first one gave.
  assert.deepEqual(await use(access), [401]);
  assert.notEqual((await renew(refresh)).status, 200);

  const again = await obtainCode(service, owner.cookie, decision);
  const given = await again.exchange();
  assert.deepEqual(await use(String(given.body["access_token"])), [200]);
  const renewed = await again.renew(String(given.body["refresh_token"]));
  assert.equal(renewed.status, 200, renewed.text);
  assert.deepEqual(await use(String(renewed.body["access_token"])), [200]);
}

/** Signs a person in by a provider: the attempt begins at one process, and the provider's redirect leads to another. */
export async function signInAcross(cluster: Cluster, owner: Account, tenantId: string): Promise<void> {
  const provider = await startTestProvider();
  try {
    await verifyDomain(recordsOf(cluster), { id: tenantId, slug: "acme" }, "acme.test");
    const made = await callApi<SsoProviderPayload>(
      cluster.url,
      "POST",
      `/api/tenants/${tenantId}/sso/providers`,
      {
        cookie: owner.cookie,
        body: {
          name: "Company",
          type: "oidc",
          enabled: true,
          oidc: {
            issuer: provider.issuer,
            clientId: provider.client.id,
            clientSecret: provider.client.secret,
          },
        },
      },
    );
    assert.equal(made.status, 201, made.error);
    const { next } = spread(cluster);
    for (const name of ["grace", "linus", "edsger"]) {
      const started = await fetch(`${next()}/sso/${made.data.id}/start?return_to=/`, { redirect: "manual" });
      assert.equal(started.status, 303, await started.text());
      const bound = started.headers.getSetCookie().find((one) => /svc_sso=/.test(one))!;
      const cookie = bound.split(";")[0]!;
      const { searchParams } = new URL(started.headers.get("location")!);
      provider.next = {
        person: { sub: name, email: `${name}@acme.test`, email_verified: true, name },
        nonce: searchParams.get("nonce")!,
        deviation: {},
      };
      const parameters = new URLSearchParams({ code: "code", state: searchParams.get("state")! });
      const target = `/sso/${made.data.id}/callback?${parameters.toString()}`;
      const ended = await readEnd(await fetch(next() + target, { headers: { cookie }, redirect: "manual" }));
      assert.ok(ended.session, ended.text);
      const me = await callApi<{ name: string }>(next(), "GET", "/api/user/profile", {
        cookie: ended.session,
      });
      assert.equal(me.data.name, name);
      const repeated = await readEnd(
        await fetch(next() + target, { headers: { cookie }, redirect: "manual" }),
      );
      assert.equal(repeated.session, undefined, "an attempt is completed once, at any process");
    }
  } finally {
    await provider.close();
  }
}
