import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newMember } from "../support/organization.ts";
import { authorization, central, guarded, serveGuarded, upstream, user, works } from "./guarded.ts";

await serveGuarded();

describe("the authorization of a connector", () => {
  it("registers a client, proves the key of the code, and names the resource", async () => {
    const { url } = await guarded.begin(user);
    const { searchParams } = new URL(url);

    const location = await guarded.callBack(await authorization.authorize(url), user);

    assert.match(location, /^\/settings\/connectors\?connect=\w{10}&result=connected$/);
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    assert.equal(searchParams.get("resource"), upstream.url);
    assert.equal(searchParams.get("redirect_uri"), `${central.service.url}/mcp-central/callback`);
    const exchange = guarded.tokenRequests("authorization_code").at(-1)!;
    assert.equal(exchange.get("resource"), upstream.url);
    assert.ok(exchange.get("code_verifier"));
    assert.deepEqual(await guarded.callTool(user), works);
  });

  it("is completed only by the session that began it, once, and with its state", async () => {
    const { id, url } = await guarded.begin(user);
    const other = await newMember(central.service, central.org, "member");
    const callback = await authorization.authorize(url);
    const forged = new URL(callback);
    forged.searchParams.set("state", "forged");
    const sent = guarded.tokenRequests("authorization_code").length;

    const strange = await guarded.callBack(callback, other);
    const anonymous = await guarded.callBack(callback, null);
    const wrong = await guarded.callBack(forged, user);
    const sentBefore = guarded.tokenRequests("authorization_code").length;
    const own = await guarded.callBack(callback, user);
    const twice = await guarded.callBack(callback, user);

    for (const location of [strange, anonymous, wrong, twice])
      assert.equal(location, "/settings/connectors?result=expired");
    assert.equal(sentBefore, sent, "no code was sent for them");
    assert.match(own, /result=connected$/);
    assert.equal((await central.read(id, user)).connectionStatus, "connected");
  });

  it("ends with needs_auth when the person refuses, or the answer comes from another issuer", async () => {
    const refused = await guarded.begin(user);
    const state = new URL(refused.url).searchParams.get("state")!;
    const iss = authorization.issuer;
    const denied = new URLSearchParams({
      error: "access_denied",
      error_description: "<b>no</b>",
      state,
      iss,
    });
    const location = await guarded.callBack(
      new URL(`${central.service.url}/mcp-central/callback?${denied.toString()}`),
      user,
    );
    assert.match(location, /result=needs_auth$/);

    const mixed = await guarded.begin(user);
    const callback = await authorization.authorize(mixed.url);
    callback.searchParams.set("iss", "https://evil.example.com");
    const sent = guarded.tokenRequests("authorization_code").length;

    assert.match(await guarded.callBack(callback, user), /result=needs_auth$/);

    assert.equal(guarded.tokenRequests("authorization_code").length, sent);
    assert.equal((await central.read(mixed.id, user)).needsReconnect, true);
    assert.ok(!central.logged.join("\n").includes("<b>no</b>"));
  });

  it("is given anew when its user asks for it", async () => {
    const { id } = await guarded.connect(user);

    const again = await central.connect(id, {}, user);
    const anew = await central.connect(id, { reauthorize: true }, user);

    assert.equal(again.data.authorizationUrl, undefined);
    assert.ok(anew.data.authorizationUrl, JSON.stringify(anew.body));
    await guarded.callBack(await authorization.authorize(anew.data.authorizationUrl), user);
    assert.deepEqual(await guarded.callTool(user), works);
  });

  it("is not stored if it is larger than credentials may be", async () => {
    const { id, url } = await guarded.begin(user);
    const callback = await authorization.authorize(url);
    authorization.fault = (request, response) => {
      if (request.url !== "/token") return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ access_token: "x".repeat(600_000), token_type: "Bearer" }));
      return true;
    };

    await guarded.callBack(callback, user);

    const seen = await central.read(id, user);
    assert.deepEqual([seen.connectionStatus, seen.problem], ["error", "too_large"]);
  });
});
