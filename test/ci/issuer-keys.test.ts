import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { setUpCi } from "./fixture.ts";

const minuteMs = 60_000;

const fixture = await setUpCi();
await fixture.trust("github");

afterEach(() => {
  fixture.github.fault = undefined;
  // The keys are read anew in the next test.
  fixture.advance(2 * 60 * minuteMs);
  fixture.github.requests.length = 0;
});

const keyRequests = () => fixture.github.requests.filter((path) => path === "/keys").length;

/** Exchanges a token that is valid by the clock of the service. */
async function exchangeNow(header?: Record<string, unknown>) {
  const seconds = Math.floor(fixture.service.app.now().getTime() / 1000);
  const times = { iat: seconds, nbf: seconds, exp: seconds + 300 };
  return fixture.exchange(await fixture.github.mint(fixture.service.url, times, header));
}

describe("the keys of an issuer", () => {
  it("are read once for many tokens, and again after ten minutes", async () => {
    const answers = await Promise.all(Array.from({ length: 7 }, () => exchangeNow()));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(keyRequests(), 1);

    fixture.advance(11 * minuteMs);
    assert.equal((await exchangeNow()).status, 200);
    assert.equal(keyRequests(), 2);
  });

  it("are not requested more than twice a minute, however many tokens name unknown ones", async () => {
    await exchangeNow();
    fixture.advance(minuteMs);
    for (let at = 0; at < 20; at++)
      assert.equal((await exchangeNow({ kid: `unknown-${at}` })).details?.["claim"], "signature");
    assert.equal(keyRequests(), 2);
    fixture.advance(31_000);
    await exchangeNow({ kid: "unknown" });
    assert.equal(keyRequests(), 3);
  });

  it("are followed when the issuer replaces them", async () => {
    await exchangeNow();
    fixture.advance(minuteMs);
    await fixture.github.rotate();

    assert.equal((await exchangeNow()).status, 200);
  });

  it("are used for an hour while the issuer is away, and requested when it is back", async () => {
    await exchangeNow();
    fixture.github.fault = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    fixture.advance(30 * minuteMs);
    assert.equal((await exchangeNow()).status, 200, "known keys");
    fixture.advance(31 * minuteMs);
    const cold = await exchangeNow();
    assert.equal(cold.code, "unavailable");
    assert.match(cold.error!, /can't be read right now/);
    const attempts = fixture.github.requests.length;
    await exchangeNow();
    assert.equal(fixture.github.requests.length, attempts, "a pause after a failure");
    fixture.github.fault = undefined;
    fixture.advance(6000);
    assert.equal((await exchangeNow()).status, 200);
  });

  it("are refused from a document that is too large, of another issuer or origin, no JSON, or a redirect", async () => {
    const { github } = fixture;
    const send = (body: string) => (path: string) => (request: { url?: string }, response: ResponseLike) => {
      if (request.url !== path) return false;
      response.writeHead(200, { "content-type": "application/json" }).end(body);
      return true;
    };
    const discovery = "/.well-known/openid-configuration";
    const faults = [
      send(JSON.stringify({ ...github.discovery, issuer: "https://evil.example" }))(discovery),
      send(JSON.stringify({ ...github.discovery, jwks_uri: `${fixture.gitlab.url}/keys` }))(discovery),
      send(JSON.stringify({ ...github.discovery, jwks_uri: "file:///etc/passwd" }))(discovery),
      send("<html>")(discovery),
      send(JSON.stringify({ keys: [], padding: "x".repeat(300_000) }))("/keys"),
      send(JSON.stringify({ keys: Array.from({ length: 101 }, () => ({ kty: "RSA" })) }))("/keys"),
      send("null")("/keys"),
      (_request: { url?: string }, response: ResponseLike) => {
        response.writeHead(302, { location: `${fixture.gitlab.url}${discovery}` }).end();
        return true;
      },
    ];

    const foreign = fixture.gitlab.requests.length;
    for (const fault of faults) {
      github.fault = fault as typeof github.fault;
      const answer = await exchangeNow();
      assert.equal(answer.code, "unavailable", JSON.stringify(answer.body));
      assert.doesNotMatch(answer.error!, /html|evil|passwd/);
      fixture.advance(6000);
    }
    assert.equal(fixture.gitlab.requests.length, foreign, "nothing is requested elsewhere");
  });

  it("end an exchange with an error when the issuer does not respond in time", async () => {
    fixture.github.fault = () => true;

    const answer = await exchangeNow();

    assert.equal(answer.code, "unavailable");
  });

  it("are not requested from this machine or a private network, unless the configuration allows it", async () => {
    const other = await setUpCi();
    const { config } = other.service.app;
    config.oidc = { ...config.oidc, privateNetwork: false };
    await other.trust("github");
    const answer = await other.exchange(await other.github.mint(other.service.url));
    assert.equal(answer.code, "unavailable");
    assert.deepEqual(other.github.requests, []);
  });
});

interface ResponseLike {
  writeHead(status: number, headers?: object): { end(body?: string): void };
}

describe("the configuration of issuers", () => {
  it("takes lists of https addresses, and http ones of this machine with the flag only", () => {
    const read = (env: NodeJS.ProcessEnv) => readConfig({ DATA_DIR: "/tmp/x", ...env }).oidc.issuers;
    assert.deepEqual(read({}), [
      { provider: "github", issuer: "https://token.actions.githubusercontent.com" },
      { provider: "gitlab", issuer: "https://gitlab.com" },
    ]);
    assert.deepEqual(
      read({ OIDC_GITLAB_ISSUERS: "https://gitlab.com, https://git.acme.example/gitlab" }).slice(1),
      [
        { provider: "gitlab", issuer: "https://gitlab.com" },
        { provider: "gitlab", issuer: "https://git.acme.example/gitlab" },
      ],
    );
    const local = { OIDC_GITHUB_ISSUERS: "http://127.0.0.1:4000" };
    assert.throws(() => read(local), /OIDC_PRIVATE_NETWORK/);
    assert.equal(read({ ...local, OIDC_PRIVATE_NETWORK: "true" })[0]!.issuer, "http://127.0.0.1:4000");
    for (const wrong of [
      "http://gitlab.example",
      "https://a.example/",
      "https://u:p@a.example",
      "x",
      "ftp://a",
    ])
      assert.throws(
        () => read({ OIDC_GITLAB_ISSUERS: wrong, OIDC_PRIVATE_NETWORK: "true" }),
        /OIDC_GITLAB_ISSUERS/,
        wrong,
      );
  });
});
