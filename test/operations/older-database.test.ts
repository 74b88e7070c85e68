import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, it } from "node:test";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type { HealthPayload } from "../../contract/payloads/service/jobs.ts";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { advanceEpoch, findMismatch } from "../../src/epoch/epoch.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { exportLines } from "../../storage/dump/export-lines.ts";
import { importLines } from "../../storage/dump/import-lines.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { eraseTenant } from "../../workers/orgs/erase.ts";
import { emptyDatabase } from "../support/engine.ts";
import { setUpService } from "../support/set-up.ts";

const dayMs = 86_400_000;

const { service, clock } = await setUpService();
const user = await service.newUser();
const tenantId = (await service.newOrg(user)).id;
const kept = [await publish("one"), await publish("two")];
const deletedLater = await publish("three");
await reconcile(service.app);
/** The database as it was when only the first skills existed. */
const yesterday = await exported();
const late = await publish("late");
await advanceEpoch(service.app);
const today = await exported();

beforeEach(() => {
  clock.aheadMs = 2 * dayMs;
});

async function publish(name: string): Promise<string> {
  const body = { tenantId, name, content: "text\n" };
  const made = await service.call<PublishResult>("POST", "/api/skills", { token: user.token, body });
  await service.settled();
  return made.data.skill.id;
}

async function exported(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(service.app.storage.database, new Date())) lines.push(line);
  return lines;
}

async function restore(lines: readonly string[]): Promise<void> {
  await service.settled();
  const { database } = service.app.storage;
  await emptyDatabase(database.raw);
  async function* read() {
    yield* lines;
  }
  await importLines(database, read());
}

const has = (skillId: string) => service.app.repos.exists({ tenantId, skillId });
const epochFile = () => path.join(service.app.config.gitRoot, "epoch.json");

/** A repository whose erasure was interrupted. */
function fillTrash(): string {
  const folder = path.join(service.app.config.gitRoot, "trash");
  mkdirSync(path.join(folder, `${late}.1.1.0`), { recursive: true });
  return folder;
}

async function restoreCheck(): Promise<HealthPayload["restore"]> {
  return (await service.call<HealthPayload>("GET", "/api/admin/health", { token: user.token })).data.restore;
}

describe("a database older than the Git root", () => {
  it("leads to no erasure: of repositories, of skills and organizations marked in it, or of the trash", async () => {
    const trash = fillTrash();
    await restore(yesterday);
    await service.call("DELETE", `/api/skills/${deletedLater}`, { token: user.token });
    await service.app.storage.database
      .collection<{ _id: string }>("tenants")
      .updateOne({ _id: tenantId }, { $set: { deletionAt: new Date() } });

    await reconcile(service.app);
    await eraseSkill(service.app, { tenantId, skillId: deletedLater });
    await eraseTenant(service.app, tenantId);

    for (const skillId of [...kept, late, deletedLater]) assert.equal(await has(skillId), true, skillId);
    assert.equal(readdirSync(trash).length, 1);
    assert.equal(await findMismatch(service.app), "database_older");
    const { ok, detail } = await restoreCheck();
    assert.equal(ok, false);
    assert.match(detail, /older than the Git root.* Nothing is erased until an administrator confirms/);
  });

  it("is forgotten when the right database is restored", async () => {
    await restore(today);
    await service.app.storage.serviceSettings.advanceEpoch((await service.app.repos.readEpoch())!.service);

    assert.equal(await findMismatch(service.app), undefined);
    assert.equal((await restoreCheck()).ok, true);
    await reconcile(service.app);
    assert.equal(await has(late), true);
  });

  it("is used once an administrator has confirmed it, which the log of the service records", async () => {
    const trash = fillTrash();
    await restore(yesterday);
    const confirm = (reason: string) =>
      service.call("POST", "/api/admin/confirm-restore", { token: user.token, body: { reason } });
    const stranger = await service.newUser();

    const refused = await service.call("POST", "/api/admin/confirm-restore", {
      token: stranger.token,
      body: { reason: "mine" },
    });
    assert.equal(refused.status, 404);
    assert.equal((await confirm("")).status, 400);
    assert.equal((await confirm("The disk of today is lost.")).status, 200);
    await service.settled();
    await reconcile(service.app);

    assert.equal(await has(late), false);
    for (const skillId of kept) assert.equal(await has(skillId), true);
    assert.deepEqual(readdirSync(trash), []);
    assert.equal((await confirm("again")).status, 422);
    const log = await service.call<AuditLogPayload>("GET", "/api/admin/audit-log", { token: user.token });
    assert.deepEqual(
      log.data.entries.find(({ action }) => action === "service.restore_confirmed")?.metadata,
      {
        mismatch: "database_older",
        reason: "The disk of today is lost.",
      },
    );
  });
});

describe("a Git root and a database that don't belong together", () => {
  const root = () => JSON.parse(readFileSync(epochFile(), "utf8")) as { service: string; number: number };

  it("are recognized, whichever is older or of another service", async () => {
    await advanceEpoch(service.app);
    const right = root();
    const state = async (text: string | undefined) => {
      rmSync(epochFile(), { force: true });
      if (text !== undefined) writeFileSync(epochFile(), text);
      return findMismatch(service.app);
    };
    for (let at = 0; at < 20; at++) await service.app.storage.serviceSettings.advanceEpoch(right.service);

    assert.equal(await state(JSON.stringify(right)), "git_root_older");
    assert.equal(await state(JSON.stringify({ ...right, service: "other" })), "other_database");
    assert.equal(await state("{"), "other_database");
    assert.equal(await state(undefined), "unknown_git_root");
    assert.equal(await state(JSON.stringify({ ...right, number: right.number + 100 })), "database_older");
    assert.equal(await state(JSON.stringify({ ...right, number: right.number + 20 })), undefined);
  });

  it("are not joined by the job that advances the counters", async () => {
    const other = JSON.stringify({ service: "other", number: 3 });
    writeFileSync(epochFile(), other);

    await advanceEpoch(service.app);

    assert.equal(readFileSync(epochFile(), "utf8"), other);
  });

  it("are recognized for an empty database", async () => {
    await service.settled();
    await emptyDatabase(service.app.storage.database.raw);

    assert.equal(await findMismatch(service.app), "other_database");
    rmSync(epochFile());
    assert.equal(await findMismatch(service.app), "unknown_git_root");
  });
});

describe("an installation of an earlier version, without epochs", () => {
  it("gets one, by several processes at the same time", async () => {
    const older = yesterday.filter((line) => !/^{"(in":"service_settings"|end")/.test(line));
    await restore(older.with(0, older[0]!.replace('"version":2', '"version":1')));
    rmSync(epochFile(), { force: true });

    await Promise.all(Array.from({ length: 5 }, () => advanceEpoch(service.app)));

    assert.equal(await findMismatch(service.app), undefined);
    const stored = (await service.app.storage.serviceSettings.find())?.epoch;
    const root = await service.app.repos.readEpoch();
    assert.equal(root?.service, stored?.service);
    assert.equal(stored?.number, 5);
  });
});
