/** The mirror is a cache: whatever happens to it on disk, the next sync fetches it again and transfers every change. */
import assert from "node:assert/strict";
import { chmodSync, cpSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, describe, it } from "node:test";
import { openMirrors } from "../../repos/mirror/index.ts";
import type { Mirror, Mirrors } from "../../repos/mirror/types.ts";
import { runSync } from "../../src/sync/run/run-sync.ts";
import { runGit } from "../support/host/git-host.ts";
import { setUpService } from "../support/set-up.ts";
import { connectedFixture, publish, textOf, versionsOf, mirrorFolder } from "../support/sync/fixture.ts";
import { makePackage } from "../support/zip.ts";

let count = 0;

const { service } = await setUpService();
const fixture = await connectedFixture(service);
const folder = mirrorFolder(service.app, fixture.org.id, fixture.connectionId);
const skill = await publish(fixture, "Edited", "line 0");
await publish(fixture, "Own", "line 0");
const uploadId = await service.upload(fixture.owner, makePackage("kit", { "scripts/run.sh": "one\n" }));
await publish(fixture, "kit", "", { content: undefined, uploadId });
await fixture.sync();
fixture.copy.update();
fixture.copy.write("notes.txt", "theirs\n");
fixture.copy.push();
await fixture.sync();

after(() => fixture.close());

afterEach(() => assertSound());

/** A sync by another process: without anything of the mirror in memory. */
async function syncAnew(wrap: (mirror: Mirror) => Mirror = (mirror) => mirror): Promise<void> {
  const opened: Mirrors = openMirrors({
    root: service.app.config.gitRoot,
    git: { program: "git", searchPath: process.env["PATH"] },
  });
  try {
    await service.app.storage.connections.request({ id: fixture.connectionId }, { now: service.app.now() });
    const end = await runSync(service.app, fixture.connectionId, {
      ...fixture.ports,
      mirrors: { ...opened, open: (of) => wrap(opened.open(of)) },
    });
    assert.equal(end, "done", JSON.stringify((await fixture.connection())?.problem));
  } finally {
    await opened.close();
  }
}

/** Edits on both sides that the next sync must transfer. */
async function editBoth(): Promise<() => Promise<void>> {
  const line = `line ${++count}`;
  fixture.copy.update();
  const file = "skills/edited/SKILL.md";
  fixture.copy.write(file, fixture.copy.read(file).replace(/\nline \d+/, `\n${line}`));
  fixture.copy.push();
  await publish(fixture, "Own", line);
  return async () => {
    assert.match(await textOf(fixture, skill.id), new RegExp(`\n${line}\n`));
    const show = fixture.copy.git("-C", fixture.remote, "show", "main:skills/own/SKILL.md");
    assert.match(show, new RegExp(`\n${line}$`));
  };
}

/** Asserts that nothing was done twice, and nothing else was changed. */
async function assertSound(): Promise<void> {
  assert.equal((await versionsOf(fixture, skill.id)).length, Math.min(count + 1, 200));
  fixture.copy.update();
  assert.equal(fixture.copy.read("skills/kit/scripts/run.sh"), "one\n");
  assert.equal(fixture.copy.read("notes.txt"), "theirs\n");
  runGit(fixture.remote, "fsck", "--full", "--strict");
  const tip = fixture.tip();
  await syncAnew();
  assert.equal(fixture.tip(), tip);
}

function filesBelow(at: string): string[] {
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(at, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

const harms: ((file: string) => void)[] = [
  (file) => rmSync(file),
  (file) => writeFileSync(file, ""),
  (file) => {
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
  },
  (file) => {
    const bytes = readFileSync(file);
    bytes.fill(0xa5, Math.floor(bytes.length / 4), Math.ceil((bytes.length * 3) / 4));
    writeFileSync(file, bytes);
  },
];

describe("a damaged mirror", () => {
  // Each file in turn, by the next kind of damage; over the rounds, every kind of damage affects every kind of file.
  for (const round of [0, 1])
    it(`with a missing, empty, truncated or overwritten file is fetched again (${round})`, async () => {
      const names = filesBelow(folder).map((name) => name.replace(/[0-9a-f]{40}/, "*"));
      assert.ok(names.filter((name) => name.endsWith(".pack")).length >= 1, names.join());
      for (let i = 0; i < filesBelow(folder).length && i < 10; i++) {
        const assertCarried = await editBoth();
        const file = path.join(folder, filesBelow(folder)[i]!);
        chmodSync(file, 0o644);
        harms[(i + 2 * round + Math.floor(i / 4)) % harms.length]!(file);
        await syncAnew();
        await assertCarried();
      }
    });

  it("with missing folders, or without any, is fetched again", async () => {
    for (const name of ["objects/pack", "objects", "refs/heads", "refs", "."]) {
      const assertCarried = await editBoth();
      rmSync(path.join(folder, name), { recursive: true, force: true });
      await syncAnew();
      await assertCarried();
    }
  });

  it("that was reset to an earlier state continues from there", async () => {
    const old = `${folder}.old`;
    cpSync(folder, old, { recursive: true });
    for (let i = 0; i < 2; i++) {
      const assertCarried = await editBoth();
      await syncAnew();
      await assertCarried();
    }
    const assertCarried = await editBoth();
    rmSync(folder, { recursive: true });
    cpSync(old, folder, { recursive: true });
    rmSync(old, { recursive: true });
    await syncAnew();
    await assertCarried();
  });
});

describe("a mirror that is removed during a sync", () => {
  for (const step of ["fetch", "scan", "lastChanges", "list", "read", "build"] as const)
    it(`after the request to ${step} is fetched again, once`, async () => {
      const assertCarried = await editBoth();
      let isTaken = false;
      let fetches = 0;
      await syncAnew((mirror) => ({
        ...mirror,
        fetch: (...of) => {
          fetches++;
          return mirror.fetch(...of);
        },
        [step]: async (...of: never[]) => {
          if (step === "fetch") fetches++;
          const done: unknown = await (mirror[step] as (...all: never[]) => Promise<unknown>)(...of);
          if (!isTaken) rmSync(folder, { recursive: true, force: true });
          isTaken = true;
          return done;
        },
      }));
      assert.ok(isTaken);
      assert.ok(fetches <= 2, String(fetches));
      await assertCarried();
      assert.ok(statSync(folder).isDirectory());
    });

  it("repeatedly fails, and is retried later", async () => {
    const assertCarried = await editBoth();
    await service.app.storage.connections.request({ id: fixture.connectionId }, { now: service.app.now() });
    const end = await runSync(service.app, fixture.connectionId, {
      ...fixture.ports,
      mirrors: {
        ...fixture.ports.mirrors,
        open: (of) => {
          const mirror = fixture.ports.mirrors.open(of);
          return {
            ...mirror,
            async fetch(...all) {
              const done = await mirror.fetch(...all);
              rmSync(folder, { recursive: true, force: true });
              return done;
            },
          };
        },
      },
    });
    assert.notEqual(end, "done");
    assert.ok((await fixture.connection())!.problem);

    await syncAnew();
    await assertCarried();
    assert.equal((await fixture.connection())!.problem, undefined);
  });
});
