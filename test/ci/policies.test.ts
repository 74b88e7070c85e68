import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { OidcPolicyPayload } from "../../contract/payloads/accounts/ci.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { newOrganization } from "../support/set-up.ts";
import { setUpCi, terms } from "./fixture.ts";

const fixture = await setUpCi();

afterEach(() => fixture.distrust());

const base = () => `/api/tenants/${fixture.org.id}/oidc-policies`;
const audience = () => fixture.service.url;

async function eventsOf(
  action: string,
): Promise<{ resourceId: string; metadata: Record<string, unknown> }[]> {
  const { service, org, owner } = fixture;
  await service.settled();
  const log = await service.call<{ entries: { resourceId: string; metadata: Record<string, unknown> }[] }>(
    "GET",
    `/api/tenants/${org.id}/audit-log?action=${action}`,
    { token: owner.token },
  );
  return log.data.entries;
}

describe("trust policies", () => {
  it("are created, read, listed, changed and deleted, each with one event", async () => {
    const { service, owner } = fixture;
    const folder = await newFolder(service, fixture.org, owner, "ops/tools");
    const created = await fixture.create({
      name: "Publish",
      ...terms.github,
      environment: "production",
      scopes: { skill: ["read", "update"] },
      allowedFolderIds: [folder.id],
    });
    const policy = created.data;
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.equal(policy.issuer, fixture.github.url);
    assert.deepEqual(policy.allowedFolders, [{ id: folder.id, path: "ops/tools" }]);
    assert.equal(policy.createdBy, owner.username);
    assert.equal(policy.enabled, true);

    const read = await service.call("GET", `${base()}/${policy.id}`, { token: owner.token });
    const listed = await service.call<OidcPolicyPayload[]>("GET", base(), { token: owner.token });
    assert.deepEqual(read.data, policy);
    assert.deepEqual(listed.data, [policy]);

    const changed = await fixture.change(policy.id, {
      name: "Release",
      environment: null,
      allowedFolderIds: null,
      ref: "refs/tags/v*",
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.equal(changed.data.environment, undefined);
    assert.equal(changed.data.allowedFolders, undefined);
    assert.equal(changed.data.ref, "refs/tags/v*");
    await service.call("DELETE", `${base()}/${policy.id}`, { token: owner.token });
    assert.equal((await fixture.change(policy.id, { name: "x" })).code, "not_found");

    for (const action of ["oidc.policy_created", "oidc.policy_updated", "oidc.policy_deleted"]) {
      const own = (await eventsOf(action)).filter(({ resourceId }) => resourceId === policy.id);
      assert.equal(own.length, 1, action);
    }
  });

  it("are rejected with a specific message if the request is invalid", async () => {
    const wrong: [object, RegExp][] = [
      [{ name: "" }, /"name"/],
      [{ provider: "bitbucket" }, /"provider"/],
      [{ repository: "acme" }, /owner/],
      [{ repository: "acme/" }, /owner/],
      [{ repository: "*/*" }, /owner/],
      [{ repository: "*" }, /owner/],
      [{ repository: "acme/sk*" }, /owner/],
      [{ repository: "a/b/c" }, /owner\/name/],
      [{ ref: "main" }, /refs\/heads\/main/],
      [{ ref: "" }, /"ref"/],
      [{ ref: "refs/heads/a b" }, /spaces/],
      [{ environment: "a\nb" }, /control characters/],
      [{ events: [] }, /default events/],
      [{ events: ["Push"] }, /name of an event/],
      [{ events: ["push", "push"] }, /twice/],
      [{ events: ["push", "pull_request_target"] }, /code of a fork/],
      [{ workflow: "publish.yml" }, /\.github\/workflows\/publish\.yml/],
      [{ workflow: ".github/workflows/a/publish.yml" }, /must be a file/],
      [{ workflow: "acme/.github/workflows/publish.yml" }, /must be a file/],
      [{ protectedRef: "true" }, /protectedRef/],
      [{ scopes: { oidc: ["manage"] } }, /oidc/],
      [{ allowedFolderIds: [] }, /must name one/],
      [{ skillIds: ["a", "a"] }, /twice/],
      [{ skillIds: [{ $gt: "" }] }, /skillIds/],
      [{ enabled: "yes" }, /enabled/],
      [{ pinned: { ownerId: "1" } }, /pinned/],
    ];

    for (const [fields, message] of wrong) {
      const answer = await fixture.create({ name: "x", ...terms.github, ...fields });
      assert.equal(answer.status, 400, JSON.stringify(fields));
      assert.match(answer.error!, message, JSON.stringify(fields));
    }
    const foreign = await fixture.create({ name: "x", ...terms.github, issuer: "https://evil.example" });
    assert.equal(foreign.code, "refused");
    assert.match(foreign.error!, /trusts these issuers/);
    const mixed = await fixture.create({ name: "x", ...terms.github, issuer: fixture.gitlab.url });
    assert.equal(mixed.code, "refused", "the issuer of the other provider");
    const policy = await fixture.trust("github");
    assert.equal((await fixture.change(policy.id, {})).status, 400);
    assert.match((await fixture.change(policy.id, { ref: "main" })).error!, /full ref/);
    assert.match((await fixture.change(policy.id, { workflow: "publish.yml" })).error!, /must be a file/);
    assert.equal((await fixture.change(policy.id, { provider: "gitlab" })).status, 400);
  });

  it("have names that are unique in the organization", async () => {
    await fixture.trust("github", { name: "Same" });
    const second = await fixture.create({ name: "same", ...terms.gitlab });

    assert.equal(second.code, "already_exists");
    assert.match(second.error!, /policy "same"/);
  });

  it("are limited to exactly 20, however many are created concurrently", async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) => fixture.create({ name: `p${at}`, ...terms.github })),
    );

    assert.equal(answers.filter(({ status }) => status === 201).length, 20);
    assert.equal(answers.filter(({ code }) => code === "limit_reached").length, 4);
  });

  it("give no one more than they have themselves", async () => {
    const { service, org, owner } = fixture;
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
      token: owner.token,
      body: { name: "CI managers", permissions: { oidc: ["manage"], skill: ["read", "update"] } },
    });
    const manager = await newMember(service, org, role.data.id);
    const member = await newMember(service, org, "member");
    const folder = await newFolder(service, org, owner, "closed");
    const hidden = await publishSkill(service, org, owner, {
      name: "Hidden",
      folder: "closed",
      visibility: "private",
    });
    await restrict(service, owner, folder.id, [{ type: "member", id: manager.id, level: "viewer" }]);
    const as = (fields: object) =>
      fixture.create({ name: service.app.newId(), ...terms.github, ...fields }, manager);
    const readers = { scopes: { skill: ["read"] } };

    assert.equal((await fixture.create({ name: "x", ...terms.github }, member)).code, "forbidden");
    assert.equal((await as({})).code, "forbidden", "an administrator's token");
    assert.equal((await as({ scopes: { skill: ["delete"] } })).code, "forbidden");
    assert.equal((await as({ ...readers, allowedFolderIds: [folder.id] })).code, "forbidden");
    assert.equal((await as({ ...readers, skillIds: [hidden.id] })).code, "forbidden");
    assert.equal((await as({ ...readers, skillIds: ["0".repeat(24)] })).code, "not_found");
    assert.equal((await as(readers)).status, 201);

    const strong = await fixture.trust("github", { scopes: undefined });
    const change = (fields: object) =>
      service.call("PATCH", `${base()}/${strong.id}`, { token: manager.token, body: fields });
    assert.equal((await change({ repository: "mallory/skills" })).code, "forbidden");
    assert.equal((await change({ pinned: null })).code, "forbidden");
    assert.equal((await change({ name: "Renamed" })).status, 200);
    assert.equal((await change({ enabled: false })).status, 200);
    assert.equal((await change({ enabled: true })).code, "forbidden");
    const named = await fixture.trust("github", { skillIds: [hidden.id] });
    const moved = await service.call("PATCH", `${base()}/${named.id}`, {
      token: manager.token,
      body: { repository: "mallory/skills" },
    });
    assert.equal(moved.code, "forbidden", "a limit that the change keeps");
  });

  it("are out of reach for restricted tokens", async () => {
    const { service, owner } = fixture;
    const limited = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      token: owner.token,
      body: { name: "limited", scopes: { skill: ["read"] } },
    });

    for (const path of [base(), `/api/tenants/${fixture.org.id}/oidc-issuers`])
      assert.equal((await service.call("GET", path, { token: limited.data.token })).code, "forbidden");
  });

  it("end their tokens with the organization", async () => {
    const { service } = fixture;
    const { owner, org } = await newOrganization(service);
    await service.call("POST", `/api/tenants/${org.id}/oidc-policies`, {
      token: owner.token,
      body: { name: "x", ...terms.github },
    });
    const mint = () => fixture.github.mint(audience());
    const { token } = (await fixture.exchange(await mint(), org.slug)).data;
    await service.call("DELETE", `/api/tenants/${org.id}`, {
      cookie: owner.cookie,
      body: { slug: org.slug, password: "correct horse battery" },
    });

    assert.equal((await service.call("GET", "/api/skills", { token })).status, 401);
    assert.equal((await fixture.exchange(await mint(), org.slug)).code, "oidc_rejected");
  });
});

describe("the test of a token", () => {
  it("explains each claim for each policy, and uses up nothing", async () => {
    const matching = await fixture.trust("github", { name: "Matching" });
    await fixture.trust("github", { name: "Other ref", ref: "refs/tags/*", environment: "production" });
    const token = await fixture.github.mint(audience());

    const { data } = await fixture.test(token);

    assert.equal(data.accepted, true);
    assert.ok(data.checks.every(({ passed }) => passed));
    assert.deepEqual(
      data.checks.map(({ claim }) => claim),
      ["alg", "iss", "signature", "aud", "exp", "iat", "nbf", "sub", "jti"],
    );
    const [first, second] = data.policies;
    assert.equal(first!.id, matching.id);
    assert.equal(first!.matches, true);
    assert.equal(second!.matches, false);
    const failed = second!.checks.filter(({ passed }) => !passed);
    assert.deepEqual(
      failed.map(({ claim, expected, actual }) => [claim, expected, actual]),
      [
        ["ref", "refs/tags/*", "refs/heads/main"],
        ["environment", "production", undefined],
      ],
    );
    assert.equal((await fixture.exchange(token)).status, 200, "the test did not use it up");
    const again = await fixture.test(token);
    assert.equal(again.data.accepted, false);
    assert.equal(again.data.checks.at(-1)!.claim, "jti");
  });

  it("shows the claims of an expired token, and why a forged one is refused", async () => {
    await fixture.trust("github");
    const seconds = Math.floor(Date.now() / 1000);
    const expired = await fixture.test(
      await fixture.github.mint(audience(), { exp: seconds - 600, iat: seconds - 900 }),
    );
    assert.equal(expired.data.accepted, false);
    assert.deepEqual(
      expired.data.checks.filter(({ passed }) => !passed).map(({ claim }) => claim),
      ["exp"],
    );
    assert.equal(expired.data.policies[0]!.matches, true);

    const forged = await fixture.test(await fixture.github.mint(audience(), {}, { kid: "other" }));
    assert.equal(forged.data.accepted, false);
    assert.equal(forged.data.checks.find(({ claim }) => claim === "signature")!.passed, false);
    const nonsense = await fixture.test("nonsense");
    assert.deepEqual(
      nonsense.data.checks.map(({ claim, passed }) => [claim, passed]),
      [["token", false]],
    );
    assert.deepEqual(nonsense.data.policies, []);
  });
});
