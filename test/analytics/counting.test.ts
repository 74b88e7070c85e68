import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import type { Document } from "mongodb";
import type { DownloadSource } from "../../contract/vocabulary.ts";
import { countDownloads } from "../../src/analytics/count.ts";
import { flushDownloads, recordDownload } from "../../src/analytics/downloads.ts";
import type { App } from "../../src/app.ts";
import { forgetMigrations } from "../../storage/database/migrations/migrate.ts";
import { openStorage } from "../../storage/index.ts";
import { patienceMs } from "../../storage/usage/download-counts.ts";
import type { DownloadRow } from "../../storage/usage/downloads.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { serviceDatabase } from "../support/engine.ts";
import { runCount } from "../support/run-count.ts";
import { setUpOrganization } from "../support/set-up.ts";

const day = (date: number) => new Date(Date.UTC(2026, 0, date, 12));
let now = day(10);

const { service, owner, org } = await setUpOrganization({ now: () => now });
const collection = (name: string) =>
  service.app.storage.database.raw.collection<{ _id: string } & Document>(name);
const made = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
  token: owner.token,
  body: { tenantId: org.slug, name: "Counted", content: "x\n", visibility: "public" },
});
await service.settled();
const template = (await collection("skills").findOne({ _id: made.data.skill.id }))!;

/** Empties the counts, and inserts the skills `a`, `b` and `c` of the organizations `one` and `two`. */
async function beginAgain(): Promise<void> {
  await service.empty();
  now = day(10);
  const ids = ["a", "b", "c"];
  const skills = ids.map((_id) => ({ ...template, _id, tenantId: tenantOf(_id), publicId: _id, slug: _id }));
  await collection("skills").insertMany(skills.map((skill) => ({ ...skill, downloads: 0 })));
  await collection("search_entries").insertMany(ids.map((_id) => ({ _id, downloads: 0 })));
}
beforeEach(beginAgain);

const tenantOf = (skillId: string) => (skillId === "c" ? "two" : "one");
const rowOf = (skillId: string, date = 10, source: DownloadSource = "cli"): DownloadRow => ({
  skillId,
  tenantId: tenantOf(skillId),
  versionId: "v",
  source,
  createdAt: day(date),
});
const insert = (rows: DownloadRow[], app = service.app) =>
  app.storage.downloads.insert({ _id: service.app.newId(), rows, createdAt: now });

/** A time at which every claim has expired. */
async function countAtLast(): Promise<void> {
  now = new Date(now.getTime() + patienceMs);
  await countDownloads(service.app);
}

/** All counts, as one object. */
async function counts() {
  const [skills, entries, daily, organizations, waiting] = await Promise.all([
    collection("skills").find().sort({ _id: 1 }).toArray(),
    collection("search_entries").find().sort({ _id: 1 }).toArray(),
    collection("daily_downloads").find().toArray(),
    collection("daily_tenant_downloads").find().toArray(),
    collection("download_batches").countDocuments({ waiting: true }),
  ]);
  const shown = (rows: Document[]) =>
    Object.fromEntries(rows.map((row) => [row["_id"], [row["cli"], row["web"], row["api"]]]));
  return {
    skills: skills.map((row) => row["downloads"]),
    entries: entries.map((row) => row["downloads"]),
    daily: shown(daily),
    organizations: shown(organizations),
    waiting,
  };
}

/** The same object, calculated from the rows. */
function countsOf(rows: DownloadRow[]) {
  const expected: Record<"daily" | "organizations", Record<string, number[]>> = {
    daily: {},
    organizations: {},
  };
  const sources = ["cli", "web", "api"];
  for (const row of rows) {
    const date = row.createdAt.toISOString().slice(0, 10);
    for (const [name, id] of [
      ["daily", row.skillId],
      ["organizations", row.tenantId],
    ] as const)
      (expected[name][`${id}:${date}`] ??= [0, 0, 0])[sources.indexOf(row.source)]!++;
  }
  const totals = ["a", "b", "c"].map((id) => rows.filter((row) => row.skillId === id).length);
  return {
    skills: totals,
    entries: totals,
    daily: expected.daily,
    organizations: expected.organizations,
    waiting: 0,
  };
}

/** A process of its own, which writes only when a test calls it. */
const otherProcess = (): App => ({ ...service.app, background() {} });

class Crash extends Error {}

/** The application in a process that ends right before or right after its n-th read or write of the counting. */
function stoppingApp(app: App, step: number, when: "before" | "after"): App {
  let steps = 0;
  const crashing = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          const isLast = ++steps === step;
          if (steps > step || (isLast && when === "before")) throw new Crash();
          const answer: unknown = await Reflect.apply(value, target, args);
          if (isLast) throw new Crash();
          return answer;
        };
      },
    });
  const { downloadCounts, skills, searchEntries } = app.storage;
  return {
    ...app,
    background() {},
    storage: {
      ...app.storage,
      downloadCounts: crashing(downloadCounts),
      skills: crashing(skills),
      searchEntries: crashing(searchEntries),
    },
  };
}

const steps = 8;

describe("counting downloads", () => {
  it("counts by skill, organization, day and source", async () => {
    const rows = [rowOf("a"), rowOf("a"), rowOf("a", 9), rowOf("b", 10, "web"), rowOf("c", 10, "api")];
    await insert(rows.slice(0, 3));
    await insert(rows.slice(3));

    await countDownloads(service.app);
    await countDownloads(service.app);

    assert.deepEqual(await counts(), countsOf(rows));
  });

  it("counts each download once if it is interrupted at any step, and continues", async () => {
    for (const when of ["before", "after"] as const)
      for (let step = 1; step <= steps; step++) {
        await beginAgain();
        const rows = [rowOf("a"), rowOf("b", 9), rowOf("c", 10, "web")];
        await insert(rows);

        await countDownloads(stoppingApp(service.app, step, when)).catch((error: unknown) => {
          assert.ok(error instanceof Crash, String(error));
        });
        const later = [rowOf("a"), rowOf("b", 9)];
        await insert(later);
        await countAtLast();

        assert.deepEqual(await counts(), countsOf([...rows, ...later]), `stopped ${when} step ${step}`);
      }
  });

  it("counts each download once, however often processes crash and whatever is recorded meanwhile", async () => {
    const rowArbitrary = fc.record({
      skill: fc.constantFrom("a", "b", "c"),
      date: fc.integer({ min: 8, max: 10 }),
      source: fc.constantFrom<DownloadSource>("cli", "web", "api"),
    });
    const actArbitrary = fc.oneof(
      fc.record({ rows: fc.array(rowArbitrary, { minLength: 1, maxLength: 4 }) }),
      fc.record({
        step: fc.integer({ min: 1, max: 2 * steps }),
        when: fc.constantFrom("before" as const, "after" as const),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(actArbitrary, { minLength: 2, maxLength: 12 }), async (acts) => {
        await beginAgain();
        const rows: DownloadRow[] = [];
        const counting: Promise<unknown>[] = [];
        for (const act of acts) {
          if ("rows" in act) {
            const batch = act.rows.map(({ skill, date, source }) => rowOf(skill, date, source));
            rows.push(...batch);
            await insert(batch);
          } else {
            // Not awaited, so that several processes count concurrently.
            counting.push(
              countDownloads(stoppingApp(service.app, act.step, act.when)).catch(() => undefined),
            );
          }
        }
        counting.push(countDownloads(otherProcess()), countDownloads(otherProcess()));
        await Promise.all(counting);
        await countAtLast();
        assert.deepEqual(await counts(), countsOf(rows));
      }),
      { numRuns: runCount(8, 400) },
    );
  });

  it("counts each download once with 20 concurrent processes", async () => {
    const rows = Array.from({ length: 300 }, (_, index) => rowOf("abc"[index % 3]!, 8 + (index % 3)));
    const processes = Array.from({ length: 20 }, otherProcess);

    await Promise.all(
      processes.map(async (app, index) => {
        for (let part = 0; part < 5; part++) {
          await insert(rows.slice(index * 15 + part * 3, index * 15 + part * 3 + 3), app);
          await countDownloads(app);
        }
      }),
    );

    assert.deepEqual(await counts(), countsOf(rows));
  });

  it("ignores the writes of a process whose batch another process has finished", async () => {
    await insert([rowOf("a")]);
    const late = await service.app.storage.downloadCounts.claim(now);
    assert.ok(late !== undefined && late !== "busy");
    await countDownloads(otherProcess());
    assert.deepEqual((await counts()).skills, [0, 0, 0], "another process is at it");
    await countAtLast();
    await insert([rowOf("a"), rowOf("b")]);
    await countDownloads(service.app);

    await service.app.storage.downloadCounts.add(late.number, late.rows);
    await service.app.storage.skills.addDownloads(late.number, new Map([["a", 1]]));

    assert.deepEqual(await counts(), countsOf([rowOf("a"), rowOf("a"), rowOf("b")]));
  });

  it("skips skills that were deleted before their downloads were counted", async () => {
    await insert([rowOf("a"), rowOf("b")]);
    await collection("skills").updateOne({ _id: "b" }, { $set: { deletedAt: now } });

    await countDownloads(service.app);

    assert.deepEqual((await counts()).daily, { "a:2026-01-10": [1, 0, 0] });
    assert.deepEqual((await counts()).organizations, { "one:2026-01-10": [1, 0, 0] });
  });

  it("is completed by the reconcile job after a crash", async () => {
    await insert([rowOf("a")]);

    await reconcile(service.app);

    assert.deepEqual(await counts(), countsOf([rowOf("a")]));
  });
});

describe("recorded downloads", () => {
  const actor = { kind: "anonymous", origin: { ipHash: "h", source: "cli", client: "cli" } } as const;
  const record = () => recordDownload(service.app, actor, { skillId: "a", tenantId: "one", _id: "v" });

  it("are written in batches, without delaying the reader, and counted", async () => {
    for (let i = 0; i < 2500; i++) record();
    flushDownloads(service.app);
    await service.settled();

    assert.equal(await collection("download_batches").countDocuments(), 3);
    assert.deepEqual((await counts()).skills, [2500, 0, 0]);
    assert.deepEqual(Object.keys((await collection("download_batches").findOne())!["rows"][0]).sort(), [
      "createdAt",
      "ipHash",
      "skillId",
      "source",
      "tenantId",
      "versionId",
    ]);
  });

  it("are kept while the database is unavailable, and not duplicated when a response was lost", async () => {
    const { insert: write } = service.app.storage.downloads;
    let calls = 0;
    service.app.storage.downloads.insert = async (batch) => {
      calls++;
      if (calls === 1) throw new Error("away");
      await write(batch);
      if (calls === 2) throw new Error("its answer was lost");
    };
    try {
      for (let attempt = 0; attempt < 3; attempt++) {
        record();
        flushDownloads(service.app);
        await service.settled();
      }
    } finally {
      service.app.storage.downloads.insert = write;
    }

    assert.deepEqual((await counts()).skills, [3, 0, 0]);
  });

  it("are kept for 90 days if they are counted", async () => {
    await insert([rowOf("a")]);
    await countDownloads(service.app);
    await insert([rowOf("b")]);
    await collection("downloads").insertOne({ _id: "of old", createdAt: now, skillId: "a" });

    now = new Date(now.getTime() + 90 * 86_400_000);
    await purge(service.app);
    assert.equal(await collection("download_batches").countDocuments(), 2);
    now = new Date(now.getTime() + 1);
    await purge(service.app);

    assert.equal(await collection("download_batches").countDocuments(), 1, "what waits is kept");
    assert.equal(await collection("downloads").countDocuments(), 0);
    await countDownloads(service.app);
    assert.deepEqual((await counts()).skills, [1, 1, 0]);
    assert.deepEqual(Object.keys((await counts()).daily), ["a:2026-01-10", "b:2026-01-10"]);
  });

  it("from before organizations had counts are totalled when the service starts", async () => {
    await collection("daily_downloads").insertMany([
      { _id: "a:2026-01-01", skillId: "a", tenantId: "one", date: "2026-01-01", cli: 2 },
      { _id: "b:2026-01-01", skillId: "b", tenantId: "one", date: "2026-01-01", cli: 1, web: 1 },
      { _id: "c:2026-01-02", skillId: "c", tenantId: "two", date: "2026-01-02", api: 1 },
    ]);
    const { url, name } = await serviceDatabase();
    await forgetMigrations(service.app.storage.database);

    for (let start = 0; start < 2; start++) await (await openStorage({ url, database: name })).close();
    await insert([rowOf("a", 1)]);
    await countDownloads(service.app);

    assert.deepEqual((await counts()).organizations, {
      "one:2026-01-01": [4, 1, 0],
      "two:2026-01-02": [0, 0, 1],
    });
    const indexes = await collection("daily_tenant_downloads").indexes();
    assert.ok(indexes.some((index) => index.name === "tenantId_1_date_-1"));
  });
});
