import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { purgeTokens } from "../../src/tokens/service.ts";
import { newFolder, publishSkill, restrict } from "../support/organization.ts";
import { setUpCi } from "./fixture.ts";

const hourMs = 60 * 60_000;

const logged: string[] = [];
const fixture = await setUpCi({ logged });

afterEach(() => fixture.distrust());

const audience = () => fixture.service.url;
const mint = (changes?: Record<string, unknown>) => fixture.github.mint(audience(), changes);

describe("the exchange of an identity token", () => {
  for (const provider of ["github", "gitlab"] as const) {
    it(`returns an API token of one hour, for ${provider}`, async () => {
      const { service, org } = fixture;
      await fixture.trust(provider);

      const answer = await fixture.exchange(await fixture[provider].mint(audience()));

      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.match(answer.data.token, /^lskt_[0-9a-f]{64}$/);
      const lifetimeMs = Date.parse(answer.data.expiresAt) - service.app.now().getTime();
      assert.ok(Math.abs(lifetimeMs - hourMs) < 60_000, answer.data.expiresAt);
      const published = await service.call<{ skill: SkillPayload }>("POST", "/api/skills", {
        token: answer.data.token,
        body: { tenantId: org.slug, name: `From ${provider}`, content: "# Hello\n" },
      });
      assert.equal(published.status, 201, JSON.stringify(published.body));
      const deleted = await service.call("DELETE", `/api/skills/${published.data.skill.id}`, {
        token: answer.data.token,
      });
      assert.equal(deleted.code, "forbidden", "the scopes of the policy apply");
    });
  }

  it("ends its token after the hour, and removes it after a day", async () => {
    await fixture.trust("github");
    const { data } = await fixture.exchange(await mint());
    assert.equal(await fixture.statusOf(data.token), 200);

    fixture.advance(hourMs + 1000);
    assert.equal(await fixture.statusOf(data.token), 401);
    fixture.advance(25 * hourMs);
    await fixture.service.settled();
    assert.ok((await purgeTokens(fixture.service.app)) >= 1);
    const left = await fixture.service.app.storage.database.raw
      .collection("tokens")
      .countDocuments({ policyId: { $exists: true } });
    fixture.advance(-26 * hourMs - 1000);
    assert.equal(left, 0);
  });

  it("records one event with the run, and logs or stores no token", async () => {
    const { service, org, owner } = fixture;
    const policy = await fixture.trust("github");
    const identity = await mint();
    const { data } = await fixture.exchange(identity);
    await service.settled();

    const log = await service.call<{ entries: { resourceId: string; metadata: object; actor: object }[] }>(
      "GET",
      `/api/tenants/${org.id}/audit-log?action=oidc.token_exchanged`,
      { token: owner.token },
    );
    const entries = log.data.entries.filter(({ resourceId }) => resourceId === policy.id);
    assert.equal(entries.length, 1);
    const { metadata } = entries[0]! as { metadata: Record<string, unknown> };
    assert.equal(metadata["repository"], "acme/skills");
    assert.equal(metadata["runId"], "77");
    assert.equal(metadata["runUrl"], `${fixture.github.url}/acme/skills/actions/runs/77`);
    const stored = JSON.stringify(
      await Promise.all(
        (await service.app.storage.database.raw.collections()).map((collection) =>
          collection.find().toArray(),
        ),
      ),
    );
    for (const secret of [data.token.slice(5), identity, identity.split(".")[2]!]) {
      assert.ok(!stored.includes(secret), "the database");
      assert.ok(!logged.join("\n").includes(secret), "the log");
    }
    assert.equal(entries[0]!.actor && (entries[0]!.actor as { type: string }).type, "organization");
  });

  it("shows the last exchange and the pinned ids with the policy, and no token in the list of tokens", async () => {
    const { service, org, owner } = fixture;
    const policy = await fixture.trust("gitlab");
    await fixture.exchange(await fixture.gitlab.mint(audience()));

    const shown = await service.call<Record<string, Record<string, unknown>>>(
      "GET",
      `/api/tenants/${org.id}/oidc-policies/${policy.id}`,
      { token: owner.token },
    );
    const { at: _exchangedAt, ...run } = shown.data["lastExchange"]!;
    assert.deepEqual(run, {
      repository: "acme/tools/skills",
      ref: "refs/heads/main",
      commit: "89abcdef0123456789abcdef0123456789abcdef",
      workflow: ".gitlab-ci.yml",
      runUrl: `${fixture.gitlab.url}/acme/tools/skills/-/jobs/99`,
    });
    const { at: _pinnedAt, ...ids } = shown.data["pinned"]!;
    assert.deepEqual(ids, { ownerId: "3003", repositoryId: "4004" });
    const tokens = await service.call<unknown[]>("GET", `/api/tenants/${org.id}/tokens`, {
      token: owner.token,
    });
    assert.deepEqual(tokens.data, []);
  });

  it("stores and shows the run as the origin of a version", async () => {
    const { service, org, owner } = fixture;
    await fixture.trust("github");
    const { data } = await fixture.exchange(await mint());
    const published = await service.call<{ skill: SkillPayload }>("POST", "/api/skills", {
      token: data.token,
      body: { tenantId: org.slug, name: "With an origin", content: "# Hello\n" },
    });
    const { id } = published.data.skill;
    await service.call("POST", `/api/skills/${id}/versions`, {
      token: owner.token,
      body: { content: "b\n" },
    });

    const versions = await service.call<Record<string, unknown>[]>("GET", `/api/skills/${id}/versions`, {
      token: owner.token,
    });
    const [second, first] = versions.data;
    assert.deepEqual(first!["origin"], {
      repository: "acme/skills",
      ref: "refs/heads/main",
      commit: "0123456789abcdef0123456789abcdef01234567",
      workflow: ".github/workflows/publish.yml",
      runUrl: `${fixture.github.url}/acme/skills/actions/runs/77`,
    });
    assert.equal(first!["source"], "oidc");
    assert.equal(second!["origin"], undefined);
    assert.notEqual(second!["source"], "oidc");
  });

  it("ends its tokens when the policy is disabled, changed or deleted, for good", async () => {
    const { service, org, owner } = fixture;
    const policy = await fixture.trust("github");
    const next = async () => (await fixture.exchange(await mint())).data.token;
    const renamed = await next();
    assert.equal((await fixture.change(policy.id, { name: "Another name" })).status, 200);
    assert.equal(await fixture.statusOf(renamed), 200, "a name changes nothing");

    const first = await next();
    await fixture.change(policy.id, { enabled: false });
    assert.equal(await fixture.statusOf(first), 401);
    assert.equal((await fixture.exchange(await mint())).code, "oidc_rejected");
    await fixture.change(policy.id, { enabled: true });
    assert.equal(await fixture.statusOf(first), 401, "an ended token stays ended");

    const second = await next();
    await fixture.change(policy.id, { scopes: { skill: ["read"] } });
    assert.equal(await fixture.statusOf(second), 401);

    const third = await next();
    const path = `/api/tenants/${org.id}/oidc-policies/${policy.id}`;
    assert.equal((await service.call("DELETE", path, { token: owner.token })).status, 200);
    assert.equal(await fixture.statusOf(third), 401);
  });

  it("leaves no working token when it races with the end of its policy", async () => {
    for (let round = 0; round < 5; round++) {
      const policy = await fixture.trust("github");
      const identities = await Promise.all([mint(), mint(), mint()]);
      const [disabled, ...answers] = await Promise.all([
        fixture.change(policy.id, { enabled: false }),
        ...identities.map((identity) => fixture.exchange(identity)),
      ]);

      assert.equal(disabled.status, 200, JSON.stringify(disabled.body));
      for (const answer of answers) {
        if (answer.status === 200) assert.equal(await fixture.statusOf(answer.data.token), 401);
        else assert.equal(answer.code, "oidc_rejected");
      }
      await fixture.distrust();
    }
  });

  it("uses the most specific policy that matches", async () => {
    await fixture.trust("github", { repository: "acme/*", ref: "*", scopes: { skill: ["read"] } });
    await fixture.trust("github");
    const { data } = await fixture.exchange(await mint());

    const made = await fixture.service.call("POST", "/api/skills", {
      token: data.token,
      body: { tenantId: fixture.org.slug, name: "By the specific one", content: "x\n" },
    });

    assert.equal(made.status, 201, JSON.stringify(made.body));
  });
});

describe("a token that is limited by its policy", () => {
  it("reaches the named skills only, also in a restricted folder", async () => {
    const { service, org, owner } = fixture;
    const folder = await newFolder(service, org, owner, "closed");
    const named = await publishSkill(service, org, owner, {
      name: "Named skill",
      folder: "closed",
      visibility: "private",
    });
    const other = await publishSkill(service, org, owner, {
      name: "Other skill",
      folder: "closed",
      visibility: "private",
    });
    await restrict(service, owner, folder.id, []);
    const policy = await fixture.trust("github", { skillIds: [named.id] });
    assert.deepEqual(policy.skills, [{ id: named.id, slug: named.slug }]);
    const { token } = (await fixture.exchange(await mint())).data;

    const push = (id: string) =>
      service.call("POST", `/api/skills/${id}/versions`, { token, body: { content: "new\n" } });
    assert.equal((await push(named.id)).status, 201);
    assert.equal((await push(other.id)).code, "not_found");
    const list = await service.call<SkillPayload[]>("GET", `/api/skills?tenant_id=${org.id}`, { token });
    assert.deepEqual(
      list.data.map(({ id }) => id),
      [named.id],
    );
    const found = await service.call<SkillPayload[]>("GET", `/api/skills?tenant_id=${org.id}&query=skill`, {
      token,
    });
    assert.ok(found.data.every(({ id }) => id === named.id));
    const created = await service.call("POST", "/api/skills", {
      token,
      body: { tenantId: org.slug, name: "Another", content: "x\n" },
    });
    assert.equal(created.code, "forbidden");
    const folders = await service.call<unknown[]>("GET", `/api/tenants/${org.id}/folders`, { token });
    assert.deepEqual(folders.data, []);
    const audit = await service.call("GET", `/api/tenants/${org.id}/audit-log`, { token });
    assert.equal(audit.code, "forbidden");
  });

  it("reaches the named folders only", async () => {
    const { service, org, owner } = fixture;
    const folder = await newFolder(service, org, owner, "mine");
    await fixture.trust("github", { allowedFolderIds: [folder.id] });
    const { token } = (await fixture.exchange(await mint())).data;
    const publish = (body: object) =>
      service.call("POST", "/api/skills", {
        token,
        body: { tenantId: org.slug, content: "x\n", ...body },
      });

    assert.equal((await publish({ name: "Inside", folder: "mine" })).status, 201);
    assert.equal((await publish({ name: "Outside" })).code, "forbidden");
  });

  it("manages neither tokens nor policies, even without scopes", async () => {
    const { service, org } = fixture;
    const policy = await fixture.trust("github", { scopes: undefined });
    const { token } = (await fixture.exchange(await mint())).data;
    const base = `/api/tenants/${org.id}`;
    const calls = [
      ["POST", `${base}/tokens`, { name: "more" }],
      ["POST", `${base}/oidc-policies`, { name: "more", provider: "github", repository: "a/b", ref: "*" }],
      ["PATCH", `${base}/oidc-policies/${policy.id}`, { repository: "evil/skills" }],
      ["DELETE", `${base}/oidc-policies/${policy.id}`],
    ] as const;

    for (const [method, path, body] of calls)
      assert.equal(
        (await service.call(method, path, { token, body })).code,
        "forbidden",
        `${method} ${path}`,
      );
  });
});
