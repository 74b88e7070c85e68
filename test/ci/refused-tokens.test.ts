import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { afterEach, describe, it } from "node:test";
import { SignJWT } from "jose";
import { setUpCi } from "./fixture.ts";

const minuteSeconds = 60;

const fixture = await setUpCi();

afterEach(async () => {
  await fixture.distrust();
  fixture.github.requests.length = 0;
});

const audience = () => fixture.service.url;
const mint = (changes?: Record<string, unknown>, header?: Record<string, unknown>) =>
  fixture.github.mint(audience(), changes, header);
const now = () => Math.floor(Date.now() / 1000);

/** An unsigned token, or one with a signature of its own. */
const assemble = (header: object, claims: object, signature = "") =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.${signature}`;

async function storedTokens(): Promise<number> {
  const { raw } = fixture.service.app.storage.database;
  return raw.collection("tokens").countDocuments({ policyId: { $exists: true } });
}

describe("an identity token that is not valid", () => {
  it("is refused with the claim and the problem, and grants and stores nothing", async () => {
    await fixture.trust("github");
    const { github } = fixture;
    const claims = github.claims(audience());
    const otherKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const publicPem = new TextEncoder().encode(await github.publicKey());
    const { kid } = github.jwks.keys[0] as { kid: string };
    const signedBy = (key: Parameters<SignJWT["sign"]>[0], header: { alg: string; [key: string]: unknown }) =>
      new SignJWT(claims).setProtectedHeader(header).sign(key);
    const valid = await mint();
    const stored = await storedTokens();
    const cases: [name: string, token: string, claim: string, message: RegExp][] = [
      ["no token", "hello", "token", /not a signed/],
      ["five parts", "a.b.c.d.e", "token", /not a signed/],
      ["broken JSON", `${Buffer.from("{").toString("base64url")}.e30.x`, "token", /not a signed/],
      ["claims that are a list", assemble({ alg: "RS256" }, [1], "x"), "token", /not a signed/],
      ["none", assemble({ alg: "none" }, claims), "alg", /public-key algorithm/],
      ["nOnE", assemble({ alg: "nOnE" }, claims), "alg", /public-key algorithm/],
      ["HS256 with the public key", await signedBy(publicPem, { alg: "HS256", kid }), "alg", /algorithm/],
      ["PS256", assemble({ alg: "PS256", kid }, claims, "x"), "alg", /algorithm/],
      ["jku", await signedBy(otherKey, { alg: "RS256", kid, jku: `${github.url}/evil` }), "alg", /"jku"/],
      ["x5u", await signedBy(otherKey, { alg: "RS256", kid, x5u: `${github.url}/evil` }), "alg", /"x5u"/],
      ["jwk", await signedBy(otherKey, { alg: "RS256", jwk: { kty: "RSA" } }), "alg", /"jwk"/],
      ["crit", await signedBy(otherKey, { alg: "RS256", kid, crit: ["b64"], b64: true }), "alg", /"crit"/],
      ["another key", await signedBy(otherKey, { alg: "RS256", kid }), "signature", /not signed/],
      ["no key id", await signedBy(otherKey, { alg: "RS256" }), "signature", /not signed/],
      ["an unknown key", await signedBy(otherKey, { alg: "RS256", kid: "x" }), "signature", /not signed/],
      ["changed claims", valid.replace(/\.[^.]*\./, ".eyJpc3MiOiJ4In0."), "iss", /does not trust/],
      ["a cut signature", valid.slice(0, -10), "signature", /not signed/],
      ["an unknown issuer", await mint({ iss: "https://evil.example" }), "iss", /does not trust/],
      ["an issuer with a slash", await mint({ iss: `${github.url}/` }), "iss", /does not trust/],
      ["an issuer that is no text", await mint({ iss: { $gt: "" } }), "iss", /does not trust/],
      ["the other provider's issuer", await mint({ iss: fixture.gitlab.url }), "signature", /not signed/],
      ["another audience", await mint({ aud: "https://github.com/acme" }), "aud", /audience/],
      ["an audience with a slash", await mint({ aud: `${audience()}/` }), "aud", /audience/],
      ["no audience", await mint({ aud: undefined }), "aud", /audience/],
      ["expired", await mint({ exp: now() - 2 * minuteSeconds }), "exp", /expired.*clock/s],
      ["no expiry", await mint({ exp: undefined }), "exp", /no usable "exp"/],
      ["an expiry that is no time", await mint({ exp: "never" }), "exp", /no usable "exp"/],
      ["an expiry beyond dates", await mint({ exp: 1e300 }), "exp", /no usable "exp"/],
      ["a clock ahead by two minutes", await mint({ iat: now() + 120, nbf: now() + 120 }), "iat", /clocks/],
      ["not valid yet", await mint({ nbf: now() + 2 * minuteSeconds }), "nbf", /clocks/],
      ["no issue time", await mint({ iat: undefined }), "iat", /no usable "iat"/],
      ["no subject", await mint({ sub: undefined }), "sub", /no usable "sub"/],
      ["no id", await mint({ jti: undefined }), "jti", /no usable "jti"/],
      ["a long id", await mint({ jti: "x".repeat(300) }), "jti", /no usable "jti"/],
      ["no repository", await mint({ repository: undefined }), "repository", /no claim/],
      ["a repository that is no name", await mint({ repository: "acme" }), "repository", /not that of/],
      [
        "a repository with a line break",
        await mint({ repository: "acme/a\nb" }),
        "repository",
        /not that of/,
      ],
      ["no repository id", await mint({ repository_id: undefined }), "repository_id", /no claim/],
      ["an id that is an object", await mint({ repository_id: { $ne: 1 } }), "repository_id", /not that of/],
      ["a short ref at GitHub", await mint({ ref: "main" }), "ref", /not that of/],
    ];

    for (const [name, token, claim, message] of cases) {
      const answer = await fixture.exchange(token);
      assert.equal(answer.code, "invalid_credentials", `${name}: ${JSON.stringify(answer.body)}`);
      assert.equal(answer.status, 401, name);
      assert.equal(answer.details?.["claim"], claim, `${name}: ${answer.error}`);
      assert.match(answer.error!, message, name);
    }
    assert.equal(await storedTokens(), stored);
    assert.ok(github.requests.every((path) => !path.includes("evil")));
  });

  it("is refused by the size and form of the request", async () => {
    await fixture.trust("github");
    const large = await mint({ padding: randomBytes(12_000).toString("base64") });

    assert.equal((await fixture.exchange(large)).code, "invalid_request");
    for (const body of [{}, { token: 5, team: "x" }, { token: "x" }, { token: "x", team: { $gt: "" } }]) {
      const answer = await fixture.service.call("POST", "/api/auth/oidc/exchange", { body });
      assert.equal(answer.code, "invalid_request", JSON.stringify(body));
    }
  });

  it("is accepted within half a minute of a difference between the clocks", async () => {
    await fixture.trust("github");

    for (const changes of [
      { iat: now() + 20, nbf: now() + 20 },
      { exp: now() - 20, iat: now() - 300 },
    ])
      assert.equal((await fixture.exchange(await mint(changes))).status, 200, JSON.stringify(changes));
    assert.equal((await fixture.exchange(await mint({ aud: ["other", audience()] }))).status, 200);
  });

  it("is accepted once, also by concurrent calls", async () => {
    await fixture.trust("github");
    const token = await mint();

    const answers = await Promise.all(Array.from({ length: 5 }, () => fixture.exchange(token)));

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.every((answer) => answer.details?.["claim"] === "jti"));
    assert.match(refused[0]!.error!, /used before/);
  });
});

describe("a valid identity token that no policy trusts", () => {
  it("gets the same answer for every reason, and for an organization that does not exist", async () => {
    const { service, org } = fixture;
    const answers = [];
    answers.push(await fixture.exchange(await mint()));
    await fixture.trust("gitlab");
    answers.push(await fixture.exchange(await mint()));
    const disabled = await fixture.trust("github", { enabled: false });
    answers.push(await fixture.exchange(await mint()));
    await fixture.change(disabled.id, { enabled: true, environment: "production" });
    answers.push(await fixture.exchange(await mint()));
    const other = await service.newOrg(await service.newUser());
    answers.push(await fixture.exchange(await mint(), other.slug));
    answers.push(await fixture.exchange(await mint(), "no-such-organization"));

    const shape = answers.map(({ status, code, error, details }) =>
      JSON.stringify({ status, code, error, details }).replaceAll(
        new RegExp(`${org.slug}|${other.slug}|no-such-organization`, "g"),
        "ORG",
      ),
    );
    assert.equal(new Set(shape).size, 1, shape.join("\n"));
    assert.equal(answers[0]!.status, 403);
    assert.equal(answers[0]!.code, "oidc_rejected");
  });

  it("does not match by another ref, environment, trigger, fork or recycled id", async () => {
    const inProduction = { environment: "production" };
    const cases: [
      provider: "github" | "gitlab",
      policy: object,
      claims: Record<string, unknown>,
      ok: boolean,
    ][] = [
      ["github", {}, { ref: "refs/heads/mainline" }, false],
      ["github", {}, { ref: "refs/heads/main2" }, false],
      ["github", {}, { ref: "refs/tags/main" }, false],
      ["github", {}, { repository: "acme/skills-evil" }, false],
      ["github", {}, { repository: "ACME/Skills" }, true],
      ["github", { repository: "acme/*" }, { repository: "acme/other" }, true],
      ["github", { repository: "acme/*" }, { repository: "acme-evil/other" }, false],
      ["github", { ref: "refs/heads/release-*" }, { ref: "refs/heads/release-1/x" }, true],
      ["github", { ref: "refs/tags/v*" }, { ref: "refs/tags/v1.0.0" }, true],
      ["github", inProduction, {}, false],
      ["github", inProduction, inProduction, true],
      ["github", inProduction, { environment: "staging" }, false],
      ["github", { ref: "*" }, { event_name: "pull_request", ref: "refs/pull/7/merge" }, false],
      ["github", { ref: "refs/pull/*" }, { event_name: "pull_request", ref: "refs/pull/7/merge" }, false],
      [
        "github",
        { ref: "refs/pull/*", events: ["pull_request"] },
        { event_name: "pull_request", ref: "refs/pull/7/merge" },
        true,
      ],
      ["github", {}, { event_name: "pull_request_target" }, false],
      ["github", {}, { sub: "repo:evil/other:ref:refs/heads/x" }, true],
      ["gitlab", {}, { ref_type: "tag", ref_path: "refs/tags/main" }, false],
      ["gitlab", { ref: "refs/tags/*" }, { ref: "v1", ref_type: "tag", ref_path: "refs/tags/v1" }, true],
      ["gitlab", { ref: "refs/heads/main" }, { ref_path: undefined }, true],
      ["gitlab", {}, { pipeline_source: "merge_request_event" }, false],
      ["gitlab", {}, { project_path: "mallory/skills", project_id: "9", namespace_id: "8" }, false],
      ["gitlab", { repository: "acme/*" }, {}, false],
      ["gitlab", { repository: "acme/tools/*" }, {}, true],
      ["gitlab", { ref: "*" }, { ref: "feature/x", ref_path: "refs/heads/feature/x" }, true],
    ];

    for (const [provider, policy, claims, ok] of cases) {
      await fixture.trust(provider, policy);
      const answer = await fixture.exchange(await fixture[provider].mint(audience(), claims));
      const shown = JSON.stringify({ policy, claims, answer: answer.body });
      assert.equal(answer.status, ok ? 200 : 403, shown);
      await fixture.distrust();
    }
  });

  it("is refused where the name belongs to another repository than before, until the policy forgets it", async () => {
    const policy = await fixture.trust("github");
    assert.equal((await fixture.exchange(await mint())).status, 200);

    assert.equal((await fixture.exchange(await mint({ repository_id: "9999" }))).code, "oidc_rejected");
    assert.equal((await fixture.exchange(await mint({ repository_owner_id: "9" }))).code, "oidc_rejected");
    assert.equal((await fixture.exchange(await mint())).status, 200);
    await fixture.change(policy.id, { pinned: null });
    assert.equal((await fixture.exchange(await mint({ repository_id: "9999" }))).status, 200);
    assert.equal((await fixture.exchange(await mint())).code, "oidc_rejected");
  });

  it("pins the owner only, where a policy is for all repositories of an owner", async () => {
    await fixture.trust("github", { repository: "acme/*" });
    const other = { repository: "acme/other", repository_id: "2003" };

    assert.equal((await fixture.exchange(await mint())).status, 200);
    assert.equal((await fixture.exchange(await mint(other))).status, 200);
    assert.equal(
      (await fixture.exchange(await mint({ ...other, repository_owner_id: "6" }))).code,
      "oidc_rejected",
    );
  });

  it("pins one repository, when two of the same name come first at once", async () => {
    await fixture.trust("github");
    const tokens = await Promise.all([mint(), mint({ repository_id: "9999" })]);

    const answers = await Promise.all(tokens.map((token) => fixture.exchange(token)));

    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 403],
    );
  });
});
