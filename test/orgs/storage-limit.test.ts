/** The storage of an organization: counted, limited, and shown. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AttentionPayload } from "../../contract/payloads/organizations/attention.ts";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type { StorageUsagePayload } from "../../contract/payloads/organizations/organizations.ts";
import type { AdminOrganizationPayload } from "../../contract/payloads/service/administration.ts";
import { findConditions } from "../../src/operations/notices/find-conditions.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { maintainRepos } from "../../workers/maintenance/maintain-repos.ts";
import { countStorage } from "../../workers/orgs/count-storage.ts";
import { deliverMails } from "../support/mailbox.ts";
import { newMember, publishSkill } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization({ reportsCommands: true });
const { app } = service;
const first = await publishSkill(service, org, owner, { name: "First" });
const second = await publishSkill(service, org, owner, { name: "Second" });

async function count(): Promise<void> {
  await service.settled();
  await countStorage(app, org.id);
}

const usage = async () =>
  (await service.call<StorageUsagePayload>("GET", `/api/tenants/${org.slug}/storage`, { token: owner.token }))
    .data;
const publish = (name: string) =>
  service.call("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.slug, name, content: `# ${name}\n` },
  });
const push = (content: string, more: object = {}) =>
  service.call("POST", `/api/skills/${first.id}/versions`, {
    token: owner.token,
    body: { content, ...more },
  });
const setLimit = (limitBytes: number | null, token = owner.token) =>
  service.call<AdminOrganizationPayload>("PUT", `/api/admin/organizations/${org.id}/storage-limit`, {
    token,
    body: { limitBytes, reason: "The contract." },
  });
const measured = async () => {
  const sizes = await Promise.all(
    [first, second].map(({ id }) => app.repos.measure({ tenantId: org.id, skillId: id })),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

describe("the storage of an organization", () => {
  it("is that of the packs of all versions, with the time of the count", async () => {
    assert.equal((await usage()).bytes, null);
    await push("two\n");
    await count();
    const { bytes, countedAt, limitBytes } = await usage();
    assert.deepEqual([bytes, limitBytes], [await measured(), null]);
    assert.ok(countedAt !== null);
    const before = bytes!;
    await push("three\n");
    await count();
    assert.ok((await usage()).bytes! > before);
  });

  it("is corrected by the nightly job, unless a version was added during it", async () => {
    const { skills } = app.storage;
    const { raw } = app.storage.database;
    await raw.collection("skills").updateMany({ tenantId: org.id }, { $unset: { storedBytes: true } });
    await maintainRepos(app);
    await count();
    assert.equal((await usage()).bytes, await measured());
    const stale = (await skills.find(first.id))!;
    await push("four\n");
    await skills.noteStoredBytes(stale, 1);
    assert.ok((await skills.find(first.id))!.storedBytes! > 1);
  });

  it("is summed up from an index", async () => {
    const plans = await plansOf(service, async () => {
      await count();
      await findConditions(app);
    });
    assertIndexed(plans, 50);
  });
});

describe("an organization at its limit", () => {
  it("gets no new skills and versions, and can read, repeat and delete", async () => {
    await count();
    app.config.organizationStorageBytes = (await usage()).bytes!;
    await count();
    for (const answer of [await publish("Third"), await push("five\n")]) {
      assert.deepEqual([answer.status, answer.code], [403, "quota_exceeded"]);
      assert.match(answer.error!, /of storage: delete skills, or ask an administrator/);
      assert.equal(answer.details?.["limitBytes"], app.config.organizationStorageBytes);
    }
    const before = await measured();
    assert.equal((await push("four\n", { ifChanged: true })).status, 201);
    assert.equal((await service.call("GET", `/api/skills/${first.id}`, { token: owner.token })).status, 200);
    assert.equal(await measured(), before, "nothing is written for a refused version");
  });

  it("gets them again at once with a limit of its own, which administrators of the service set", async () => {
    const member = await newMember(service, org, "admin");
    assert.equal((await setLimit(1024 ** 3, member.token)).code, "not_found");
    const { status, data } = await setLimit(1024 ** 3);
    assert.equal(status, 200);
    assert.deepEqual([data.storage.limitBytes, data.storage.hasOwnLimit], [1024 ** 3, true]);
    assert.equal((await push("six\n")).status, 201);
    await service.settled();
    for (const path of [`/api/tenants/${org.slug}/audit-log`, "/api/admin/audit-log"]) {
      const log = await service.call<AuditLogPayload>("GET", path, { cookie: owner.cookie });
      const entry = log.data.entries.find(({ action }) => action === "organization.storage_limit_changed");
      assert.equal(entry?.metadata["limitBytes"], 1024 ** 3, path);
    }
    assert.equal((await setLimit(null)).data.storage.limitBytes, app.config.organizationStorageBytes);
  });

  it("has space again once a skill is erased", async () => {
    await count();
    assert.equal((await push("seven\n")).code, "quota_exceeded");
    await service.call("DELETE", `/api/skills/${second.id}`, { token: owner.token });
    await service.settled();
    await eraseSkill(app, { tenantId: org.id, skillId: second.id });
    app.config.organizationStorageBytes = (await measuredFirst()) + 1;
    await count();
    assert.equal((await push("seven\n")).status, 201);
  });
});

const measuredFirst = () => app.repos.measure({ tenantId: org.id, skillId: first.id });

describe("owners of an organization", () => {
  const mailsAbout = async () =>
    (await deliverMails(app)).filter(({ subject }) => subject === `Storage of ${org.slug}`);
  const attention = async (token: string) =>
    (
      await service.call<AttentionPayload>("GET", `/api/tenants/${org.slug}/attention`, { token })
    ).data.items.filter(({ kind }) => kind === "storage_limit");

  it("are warned at 80 % and at the limit, once until less is used", async () => {
    app.config.organizationStorageBytes = undefined;
    await count();
    await mailsAbout();
    const bytes = (await usage()).bytes!;
    const mailsAt = async (share: number) => {
      app.config.organizationStorageBytes = Math.ceil(bytes / share);
      await count();
      await count();
      return (await mailsAbout()).length;
    };
    assert.deepEqual(
      [await mailsAt(0.79), await mailsAt(0.81), await mailsAt(0.9), await mailsAt(1), await mailsAt(0.9)],
      [0, 1, 0, 1, 0],
    );
    assert.deepEqual([await mailsAt(0.5), await mailsAt(0.85)], [0, 1]);
    const member = await newMember(service, org, "member");
    assert.equal((await attention(owner.token)).length, 1);
    assert.match((await attention(owner.token))[0]!.message, /uses .+ of its .+ of storage\./);
    assert.equal((await attention(member.token)).length, 0);
    const conditions = (await findConditions(app)).filter(({ key }) => key === "organization-storage");
    assert.deepEqual(
      conditions.map(({ text }) => text),
      ["1 organization uses 80 % or more of the storage; 0 of them can't publish any more."],
    );
  });
});
