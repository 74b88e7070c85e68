import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import { newId } from "../../storage/database.ts";
import { openStorage } from "../../storage/index.ts";
import { outboxFields, type EventRow } from "../../storage/outbox.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { VersionDoc } from "../../storage/versions/versions.ts";
import { emptyDatabase, testDatabase } from "../support/engine.ts";
import { runCount } from "../support/run-count.ts";
import { closedAfter } from "../support/set-up.ts";

const { url, name } = await testDatabase();
const storage = await closedAfter(openStorage({ url, database: name }));

beforeEach(() => emptyDatabase(storage.database.raw));

const tenantId = newId();
const at = new Date("2026-05-01T00:00:00Z");

function newEvent(resourceId: string): EventRow {
  return {
    _id: newId(),
    name: "skill.updated",
    tenantId,
    actor: { type: "system", id: null, name: "test" },
    resourceType: "skill",
    resourceId,
    metadata: {},
    createdAt: at,
  };
}

function newVersion(skillId: string, version: number, fields: Partial<VersionDoc> = {}): VersionDoc {
  return {
    _id: newId(),
    skillId,
    tenantId,
    version,
    semver: `1.0.${version - 1}`,
    prerelease: false,
    message: "m",
    format: "markdown",
    fileCount: 1,
    totalBytes: 1,
    oid: "0".repeat(40),
    treeOid: "0".repeat(40),
    digest: "0".repeat(64),
    hash: "0".repeat(64),
    name: "n",
    description: "d",
    author: null,
    source: "api",
    createdAt: at,
    ...fields,
  };
}

async function newSkill(fields: Partial<SkillDoc> = {}): Promise<SkillDoc> {
  const _id = newId();
  const row = newVersion(_id, 1);
  const skill: SkillDoc = {
    _id,
    tenantId,
    tenantSlug: "t",
    publicId: _id.slice(-10),
    slug: `s-${_id}`,
    name: "n",
    nameKey: "n",
    description: "d",
    type: "skill",
    visibility: "private",
    tags: [],
    folderId: null,
    effectiveRestrictionId: null,
    listed: false,
    excerpt: "",
    createdBy: "u",
    author: null,
    createdAt: at,
    updatedAt: at,
    revision: 1,
    head: { version: 1, oid: row.oid },
    highestRelease: "1.0.0",
    current: { ...row, versionId: row._id },
    downloads: 0,
    pending: [row],
    ...outboxFields([newEvent(_id)]),
    ...fields,
  };
  await storage.skills.insert(skill);
  return skill;
}
const load = (id: string) => storage.database.collection<SkillDoc>("skills").findOne({ _id: id });

describe("flushing the outbox of a document", () => {
  it("removes the published events, and keeps those added in the meantime", async () => {
    const skill = await newSkill();
    const seen = (await load(skill._id))!;
    const later = newEvent(skill._id);
    await storage.skills.update(skill._id, { name: "m" }, at, [later]);

    await storage.skills.clearProjected([seen]);
    await storage.skills.markProjected([seen]);

    const left = (await load(skill._id))!;
    assert.deepEqual(
      left.outbox!.map((event) => event._id),
      [later._id],
    );
    assert.deepEqual(left.pending, []);
    assert.ok(left.pendingSince);
    await storage.skills.clearProjected([left]);
    await storage.skills.markProjected([left]);
    assert.equal((await load(skill._id))!.pendingSince, undefined);
  });

  it("loses and duplicates no event, however changes and flushes interleave", async () => {
    const act = fc.constantFrom("change", "append", "carry", "carry stale", "carry twice");
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 12 }), async (acts) => {
        const skill = await newSkill();
        const made = [...skill.outbox!];
        const rows = [...skill.pending];
        let stale = (await load(skill._id))!;
        const carry = async (seen: SkillDoc) => {
          const events = seen.outbox ?? [];
          await storage.auditEvents.record(events);
          await storage.versions.record(seen.pending);
          await storage.skills.clearProjected([seen]);
          await storage.skills.markProjected([seen]);
        };
        for (const step of acts) {
          const now = (await load(skill._id))!;
          if (step === "change") {
            const event = newEvent(skill._id);
            made.push(event);
            await storage.skills.update(skill._id, { name: "x" }, at, [event]);
          } else if (step === "append") {
            const row = newVersion(skill._id, now.head.version + 1);
            const event = newEvent(skill._id);
            made.push(event);
            rows.push(row);
            const change = {
              fields: { updatedAt: at },
              highestRelease: row.semver,
              events: [event],
              packBytes: 1,
              folderId: null,
              visibility: "private" as const,
            };
            assert.ok(await storage.skills.append(skill._id, now.head.version, row, change));
          } else if (step === "carry") await carry(now);
          else if (step === "carry twice") await Promise.all([carry(now), carry(now)]);
          else {
            await carry(stale);
            stale = now;
          }
          const unsettled = (await load(skill._id))!;
          const isDone = unsettled.outbox!.length === 0 && unsettled.pending.length === 0;
          if (!isDone) assert.ok(unsettled.pendingSince, "what waits is found by the reconcile job");
        }
        await carry((await load(skill._id))!);

        const carried = await storage.database.raw
          .collection("audit_events")
          .find({ resourceId: skill._id })
          .toArray();
        assert.deepEqual(
          carried.map((event) => String(event._id)).sort(),
          made.map((event) => event._id).sort(),
        );
        const listed = await storage.versions.list(skill._id, { prerelease: true, limit: 100 });
        assert.deepEqual(
          listed.map((row) => row._id),
          rows.map((row) => row._id).toReversed(),
        );
      }),
      { numRuns: runCount(8, 250) },
    );
  });
});

describe("unique indexes", () => {
  it("ensure one slug per organization, and free a deleted skill's", async () => {
    const skill = await newSkill({ slug: "taken" });

    await assert.rejects(newSkill({ slug: "taken" }), /skill_slug/);
    await newSkill({ slug: "taken", tenantId: newId() });
    await storage.skills.markDeleted(skill, at, [newEvent(skill._id)]);
    await newSkill({ slug: "taken" });

    assert.equal(await storage.skills.find(skill._id), null);
    assert.equal((await storage.skills.listDeleted(10)).length, 1);
  });

  it("ensure one row per number and per semver, and report a conflict", async () => {
    const skillId = newId();
    const first = newVersion(skillId, 1);

    await storage.versions.record([first]);
    await storage.versions.record([first]);

    await assert.rejects(
      storage.versions.record([newVersion(skillId, 1, { semver: "9.0.0" })]),
      /version_once/,
    );
    await assert.rejects(
      storage.versions.record([newVersion(skillId, 2, { semver: "1.0.0" })]),
      /semver_once/,
    );
    await storage.versions.record([newVersion(newId(), 1)]);
    assert.equal((await storage.versions.listSemvers(skillId)).length, 1);
  });

  it("let one of many concurrent appends to one head succeed", async () => {
    const skill = await newSkill();

    const results = await Promise.all(
      Array.from({ length: 12 }, () =>
        storage.skills.append(skill._id, 1, newVersion(skill._id, 2), {
          fields: {},
          highestRelease: "1.0.1",
          events: [newEvent(skill._id)],
          packBytes: 1,
          folderId: null,
          visibility: "private" as const,
        }),
      ),
    );

    assert.equal(results.filter((result) => result !== null).length, 1);
    const left = (await load(skill._id))!;
    assert.deepEqual([left.head.version, left.pending.length, left.outbox!.length], [2, 2, 2]);
    assert.equal(await storage.skills.hasVersion(skill._id, 2, left.pending[1]!._id), true);
    assert.equal(await storage.skills.hasVersion(skill._id, 2, newId()), false);
  });

  it("give each upload a slot of its own", async () => {
    const upload = (slot: number, owner = "user:a") => ({
      _id: newId(),
      owner,
      size: 1,
      sha256: "0".repeat(64),
      state: "open" as const,
      slot,
      createdAt: at,
      expiresAt: at,
    });

    await storage.uploads.insert(upload(0));
    await assert.rejects(storage.uploads.insert(upload(0)), /upload_slot/);
    await storage.uploads.insert(upload(0, "user:b"));
    await storage.uploads.insert(upload(1));

    assert.deepEqual(
      (await storage.uploads.takenSlots("user:a")).toSorted((a, b) => a - b),
      [0, 1],
    );
  });
});
