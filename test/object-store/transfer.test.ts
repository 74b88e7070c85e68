/** Moving an installation between the file system and an object store. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { openObjectStore } from "../../repos/object-store/s3.ts";
import { copyStore } from "../../repos/store/copy-store.ts";
import { openSkillStore } from "../../repos/store/index.ts";
import { openDriver, type DriverOptions } from "../../repos/store/open-driver.ts";
import { requireRepositories } from "../../src/operations/transfer-store.ts";
import { verifyStore } from "../../src/operations/verify.ts";
import { startWriters } from "../operations/writers.ts";
import { newBucket, whyNoObjectStore } from "../support/object-store.ts";
import { setUpOrganization, setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const skip = whyNoObjectStore();
const none = () => undefined;

describe("a transfer of all repositories", { skip }, async () => {
  if (skip !== undefined) return;
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-transfer-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const store = await newBucket();
  const objects = openObjectStore(store);
  after(() => objects.close());
  const { service, owner, org } = await setUpOrganization({ gitRoot: path.join(folder, "git") });
  const common = { readHandles: 16, staleLockMs: 10_000 };
  const files: DriverOptions = { ...common, root: path.join(folder, "git") };
  const bucket: DriverOptions = {
    ...common,
    root: path.join(folder, "cache"),
    remote: { store, maxBytes: 1024 ** 3 },
  };
  const copy = (from: DriverOptions, to: DriverOptions) =>
    copyStore({
      from,
      to,
      log: none,
      isErased: async ({ skillId }) => !(await service.app.storage.skills.exists(skillId)),
      progress: none,
    });
  const repositoriesOf = async (options: DriverOptions) => {
    const driver = openDriver(options, none);
    const found: string[] = [];
    for await (const { skillId } of driver.packs.repositories()) found.push(skillId);
    await driver.packs.close();
    return found.toSorted();
  };
  const faultsOf = async (options: DriverOptions) => {
    const repos = openSkillStore({ ...options, committerHost: "svc.test" });
    try {
      return (await verifyStore({ storage: service.app.storage, repos }, none)).faults;
    } finally {
      await repos.close();
    }
  };

  it("is required before a service with skills uses an empty bucket", async () => {
    const empty = await newBucket();
    const { app } = service;
    const repos = openSkillStore({
      ...bucket,
      remote: { ...bucket.remote!, store: empty },
      committerHost: "svc.test",
    });
    const stores = { ...app, repos, config: { ...app.config, gitStore: empty } };
    await requireRepositories(stores);
    const body = { tenantId: org.id, name: "first", content: "# first\n" };
    await service.call("POST", "/api/skills", { token: owner.token, body });

    await assert.rejects(requireRepositories(stores), /has no repositories, and the database has skills/);
    await repos.close();
  });

  it("copies while versions are published, then what came since, and loses nothing", async () => {
    const writers = await startWriters(service, owner, org.id);
    await until("some versions", () => writers.count() > 20, { timeoutMs: 60_000 });
    const first = await copy(files, bucket);
    await until("further versions", () => writers.count() > 60, { timeoutMs: 60_000 });
    await writers.stop();
    await service.settled();

    const second = await copy(files, bucket);
    const third = await copy(files, bucket);

    assert.ok(first.packs > 0 && second.packs > 0, `${first.packs} and ${second.packs} packs`);
    assert.deepEqual([third.packs, third.faults], [0, []]);
    assert.deepEqual(await faultsOf(bucket), []);
    assert.deepEqual(
      await repositoriesOf(bucket),
      await repositoriesOf(files),
      "erased ones are erased in both",
    );
  });

  it("lets a service use the object store, and takes it back into a folder", async () => {
    const { mongodbDatabase, secretKeys } = service.app.config;
    const { service: moved } = await setUpService({
      mongodbDatabase,
      secretKeys,
      gitStore: store,
      gitRoot: path.join(folder, "moved"),
      cacheDir: path.join(folder, "moved-cache"),
    });
    const body = { tenantId: org.id, name: "after the move", content: "# after\n" };
    const answer = await moved.call("POST", "/api/skills", { token: owner.token, body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    await moved.settled();

    const back = { ...common, root: path.join(folder, "back") };
    await copy(bucket, back);

    assert.deepEqual(await faultsOf(back), []);
  });

  it("reports a damaged pack, copies the others, and refuses the store of another database", async () => {
    const [from, to] = ["damaged", "other"].map((name) => ({ ...common, root: path.join(folder, name) }));
    const repo = { tenantId: org.id, skillId: "0".repeat(24) };
    const driver = openDriver(from!, none);
    const bytes = Buffer.alloc(100, "x");
    await driver.packs.put(repo, "1".repeat(40), [bytes], Buffer.alloc(10), "create");
    await driver.packs.writeEpoch(JSON.stringify({ service: "one", number: 3 }));
    await driver.packs.close();

    const report = await copy(from!, to!);
    assert.deepEqual([report.packs, report.faults.length], [0, 1]);

    const other = openDriver(to!, none);
    assert.equal(await other.packs.readEpoch(), JSON.stringify({ service: "one", number: 3 }));
    await other.packs.writeEpoch(JSON.stringify({ service: "two", number: 1 }));
    await other.packs.close();
    await assert.rejects(copy(from!, to!), /used with another database/);
    const unused = { ...common, root: path.join(folder, "unused") };
    await assert.rejects(copy(unused, from!), /used with another database/);
    assert.deepEqual(
      await repositoriesOf(from!),
      [repo.skillId],
      "nothing is erased in a store that is used",
    );
  });
});
