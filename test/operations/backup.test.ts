import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { BSON } from "mongodb";
import { openLog } from "../../src/log.ts";
import { closeStores, openStores } from "../../src/open.ts";
import { repairStore } from "../../src/operations/repair.ts";
import { importFrom, requireCompleteImport } from "../../src/operations/transfer.ts";
import { verifyStore } from "../../src/operations/verify.ts";
import { projectSkill } from "../../src/skills/projection.ts";
import { exportLines } from "../../storage/dump/export-lines.ts";
import { importLines } from "../../storage/dump/import-lines.ts";
import { emptyDatabase, testDatabase } from "../support/engine.ts";
import { runCount } from "../support/run-count.ts";
import { startService } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { copyInUse, startWriters } from "./writers.ts";

/** Writes during the export; `npm run test:long` has more. */
const writes = runCount(200, 20_000);
/** Lines of the export between which writes are awaited. */
const linesPerPause = 20;
const writesPerPause = 10;
const none = () => undefined;

const folder = mkdtempSync(path.join(os.tmpdir(), "svc-backup-"));
const { service } = await setUpService();
const user = await service.newUser();
const tenantId = (await service.newOrg(user)).id;
const writers = await startWriters(service, user, tenantId);
const lines = await exportDuringWrites();
await copyInUse(service.app.config.gitRoot, path.join(folder, "git"));
await writers.stop();
await service.settled();
const { url: mongodbUrl, name: mongodbDatabase } = await testDatabase();
const restored = await openStores({
  config: { ...service.app.config, mongodbDatabase, gitRoot: path.join(folder, "git") },
  log: openLog("silent"),
  mongodbUrl,
});

after(async () => {
  await closeStores(restored);
  rmSync(folder, { recursive: true, force: true });
});

/** An export that lasts for many writes. */
async function exportDuringWrites(): Promise<string[]> {
  const read: string[] = [];
  const first = writers.count();
  for await (const line of exportLines(service.app.storage.database, service.app.now())) {
    read.push(line);
    if (read.length % linesPerPause !== 0) continue;
    const wanted = Math.min(writes, writers.count() - first + writesPerPause);
    await until("further writes", () => writers.count() - first >= wanted, { timeoutMs: 120_000 });
  }
  await until("all writes", () => writers.count() - first >= writes, { timeoutMs: 600_000 });
  return read;
}

async function* from(text: readonly string[]): AsyncGenerator<string> {
  yield* text;
}

function documentsOf<T>(name: string): T[] {
  return lines
    .map((line) => BSON.EJSON.parse(line) as { in?: string; document: T })
    .filter((line) => line.in === name)
    .map((line) => line.document);
}

describe("an export during writes and deletions", () => {
  it("contains each skill with all of its versions and none above its head", () => {
    const skills = documentsOf<{ _id: string; head: { version: number } }>("skills");
    const rows = documentsOf<{ skillId: string; version: number }>("versions");

    assert.ok(skills.length >= 20);
    for (const { _id, head } of skills)
      assert.deepEqual(
        rows.filter((row) => row.skillId === _id && row.version > head.version),
        [],
      );
  });

  it("contains no folder that is newer than its tree", () => {
    const [tree] = documentsOf<{ revision: number }>("folder_trees");
    const folders = documentsOf<{ revision: number }>("folders");

    assert.ok(folders.length > 0);
    assert.ok(tree!.revision >= Math.max(...folders.map(({ revision }) => revision)));
  });

  it("is imported again after an interruption, and refused over another one", async () => {
    await emptyDatabase(restored.storage.database.raw);
    async function* cut(): AsyncGenerator<string> {
      yield* lines.slice(0, lines.length / 2);
      throw new Error("cut");
    }
    await assert.rejects(importLines(restored.storage.database, cut()), /^Error: cut$/);

    await assert.rejects(requireCompleteImport(restored), /interrupted: run the import .* again/);
    const other = [lines[0]!.replace("T", "T1"), ...lines.slice(1)];
    await assert.rejects(importLines(restored.storage.database, from(other)), /part of another export/);
    const { documents, hasEnd } = await importLines(restored.storage.database, from(lines));

    await requireCompleteImport(restored);
    assert.ok(hasEnd);
    assert.ok(documents > 0 && documents < lines.length);
    await assert.rejects(importLines(restored.storage.database, from(lines)), /is not empty/);
  });

  it("is restored without faults but the skills that were deleted afterwards, which a repair deletes", async () => {
    const found = await verifyStore(restored, none);
    assert.deepEqual(
      found.faults.filter(({ kind }) => kind !== "missing-repository"),
      [],
    );

    const { deleted, left } = await repairStore(restored, found);

    assert.equal(deleted, found.faults.length);
    assert.deepEqual(left, []);
    const again = await verifyStore(restored, none);
    assert.deepEqual(again.faults, []);
    assert.ok(again.skills >= 12, JSON.stringify(again));
  });

  it("takes further versions and folders after its restore", async () => {
    const { gitRoot, secretKeys } = restored.config;
    const moved = await startService({ mongodbUrl, mongodbDatabase, gitRoot, secretKeys });
    const { skills, versions } = moved.app.storage;
    const token = user.token;
    for await (const id of skills.eachId()) {
      const skill = await skills.find(id);
      if (!skill) continue;
      const made = await moved.call("POST", `/api/skills/${id}/versions`, {
        token,
        body: { content: "restored\n" },
      });
      assert.equal(made.status, 201, made.error);
    }
    const folders = await moved.call("POST", `/api/tenants/${tenantId}/folders`, {
      token,
      body: { name: "New", parentId: null },
    });
    assert.equal(folders.status, 201, folders.error);
    await moved.settled();

    for await (const id of skills.eachId()) {
      const skill = await skills.find(id);
      if (!skill) continue;
      const { head, pending, pendingSince } = skill;
      assert.deepEqual([pending, pendingSince], [[], undefined], id);
      assert.equal((await versions.find(id, head.version))?.oid, head.oid);
    }
    assert.deepEqual((await verifyStore(moved.app, none)).faults, []);
    await moved.close();
  });
});

describe("a part of an export", () => {
  let file: string;
  before(async () => {
    file = path.join(folder, "part.ndjson");
    await emptyDatabase(restored.storage.database.raw);
  });

  const importText = (text: string) => {
    writeFileSync(file, text);
    return importFrom(restored, file);
  };
  const textOf = (some: readonly string[]) => some.map((line) => `${line}\n`).join("");

  it("is refused before anything is written, wherever it was cut off", async () => {
    const whole = textOf(lines);
    const cuts = [1, 2, Math.floor(lines.length / 2), lines.length - 2, lines.length - 1];
    for (const count of cuts)
      await assert.rejects(
        importText(textOf(lines.slice(0, count))),
        /export is incomplete: its end is missing/,
      );
    for (const length of [whole.length - 3, whole.length - 80, whole.length / 2])
      await assert.rejects(importText(whole.slice(0, length)), /export is incomplete/, String(length));
    await assert.rejects(importText(""), /file is empty/);
    await assert.rejects(importText(textOf(lines.slice(1))), /not an export/);

    await requireCompleteImport(restored);
    assert.equal(await restored.storage.database.raw.collection("skills").countDocuments(), 0);
  });

  it("is refused if lines in the middle are missing or were changed, or others follow", async () => {
    const at = lines.findIndex((line) => line.startsWith('{"in":"skills"'));
    const changed = lines.with(at, lines[at]!.replace('"slug":"', '"slug":"x'));
    for (const damaged of [lines.toSpliced(at, 1), changed])
      await assert.rejects(
        importText(textOf(damaged)),
        /export is damaged: lines are missing or were changed/,
      );
    await assert.rejects(importText(textOf([...lines, lines[at]!])), /lines after its end/);
  });

  it("leaves the import unfinished if it is read from a pipe, and a complete one continues it", async () => {
    const { database } = restored.storage;
    await assert.rejects(importLines(database, from(lines.slice(0, -1))), /export is incomplete/);
    await assert.rejects(requireCompleteImport(restored), /interrupted: run the import .* again/);

    await importLines(database, from(lines));

    await requireCompleteImport(restored);
    await emptyDatabase(database.raw);
  });
});

describe("an export of an earlier version of the service", () => {
  it("is imported without rows that are newer than their skills", async () => {
    const { database, skills } = service.app.storage;
    await emptyDatabase(restored.storage.database.raw);
    const rows = await database.raw.collection("versions").find().toArray();
    const entries = await database.raw.collection("search_entries").find().toArray();
    // It read the versions last, and so has those that were published after the skills were read.
    const late = [
      ...rows.map((document) => ({ in: "versions", document })),
      ...entries.map((document) => ({ in: "search_entries", document })),
    ].map((line) => BSON.EJSON.stringify(line, { relaxed: false }));
    const older = lines
      .filter((line) => !/^{"(in":"(versions|search_entries)"|end")/.test(line))
      .with(0, lines[0]!.replace('"version":2', '"version":1'));
    const isNewer = async () => {
      for (const skill of documentsOf<{ _id: string; head: { version: number } }>("skills"))
        if (((await skills.find(skill._id))?.head.version ?? 0) > skill.head.version) return true;
      return false;
    };
    assert.ok(await isNewer());

    const { hasEnd } = await importLines(restored.storage.database, from([...older, ...late]));
    assert.equal(hasEnd, false);
    const found = await verifyStore(restored, none);

    assert.deepEqual(
      found.faults.filter(({ kind }) => kind === "phantom"),
      [],
    );
    const byId = new Map<string, number>();
    for await (const id of restored.storage.skills.eachId())
      byId.set(id, (await restored.storage.skills.find(id))?.revision ?? 0);
    for (const entry of await restored.storage.database.raw.collection("search_entries").find().toArray())
      assert.ok(entry["revision"] <= byId.get(String(entry._id))!);
  });
});

describe("an installation with records that are newer than their skills, as an earlier release restored it", () => {
  it("takes versions again once they are repaired", async () => {
    const { app } = service;
    const { skills, versions, database } = app.storage;
    const [id] = writers.kept;
    const { head } = (await skills.find(id!))!;
    const newest = (await versions.find(id!, head.version))!;
    const phantom = { ...newest, _id: app.newId(), version: head.version + 1, semver: "77.0.0" };
    await versions.record([phantom]);
    await database.raw
      .collection<{ _id: string }>("search_entries")
      .updateOne({ _id: id! }, { $set: { revision: 1_000_000 } });
    const body = { content: "after the restore\n" };
    const pushed = await service.call("POST", `/api/skills/${id}/versions`, { token: user.token, body });
    assert.equal(pushed.status, 201);
    await assert.rejects(projectSkill(app, id!));

    const found = await verifyStore(app, none);
    const { phantoms, reindexed } = await repairStore(app, found);

    assert.deepEqual(
      found.faults.map(({ kind, skillId }) => [kind, skillId]),
      [["phantom", id]],
    );
    assert.deepEqual([phantoms, reindexed], [1, 1]);
    await projectSkill(app, id!);
    const entries = database.collection<{ _id: string; revision: number }>("search_entries");
    assert.ok((await entries.findOne({ _id: id! }))!.revision < 1_000_000);
    const repaired = (await skills.find(id!))!;
    assert.deepEqual([repaired.pending, repaired.pendingSince], [[], undefined]);
    assert.equal((await versions.find(id!, repaired.head.version))?.oid, repaired.head.oid);
    assert.deepEqual((await verifyStore(app, none)).faults, []);
  });
});
