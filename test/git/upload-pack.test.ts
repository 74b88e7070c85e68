/** The places of clones: half of them for one caller, given back by whatever becomes of a clone. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openSlots } from "../../repos/serve/slots.ts";
import { openUploadPack, type UploadPack, type UploadPackOptions } from "../../repos/serve/upload-pack.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import { runGit } from "../support/git-host.ts";
import { startService } from "../support/service.ts";

const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;

describe("places of callers", () => {
  it("are for half of one caller, who lets others go ahead in the line", async () => {
    const slots = openSlots({ count: 4, waiting: 4, waitMs: 10_000 });
    const [one, two] = [await slots.take("greedy"), await slots.take("greedy")];
    const given: string[] = [];
    const ask = (caller: string) =>
      slots.take(caller).then((release) => {
        given.push(release === undefined ? `none for ${caller}` : caller);
        return release;
      });

    const third = ask("greedy");
    const fourth = ask("greedy");
    await ask("greedy");
    const other = await ask("other");
    await ask("another");
    const last = ask("other");
    other!();
    await last;

    assert.deepEqual(given, ["none for greedy", "other", "another", "other"]);
    one!();
    one!();
    two!();
    await Promise.all([third, fourth]);
    assert.deepEqual(given.slice(4), ["greedy", "greedy"]);
  });

  it("are waited for a while", async () => {
    const slots = openSlots({ count: 1, waiting: 4, waitMs: 50 });
    const release = await slots.take("one");

    assert.equal(await slots.take("other"), undefined);
    release!();
    assert.ok(await slots.take("other"));
  });
});

describe("processes of clones", () => {
  let folder: string;
  let directory: string;
  let request: Buffer;
  let opened: UploadPack | undefined;

  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "svc-upload-pack-"));
    directory = path.join(folder, "bare.git");
    const copy = path.join(folder, "copy");
    runGit(folder, "init", "-q", "-b", "main", copy);
    writeFileSync(path.join(copy, "big.bin"), randomBytes(4_000_000));
    runGit(copy, "add", "-A");
    runGit(copy, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "big");
    runGit(folder, "clone", "-q", "--bare", copy, directory);
    const want = line(`want ${runGit(copy, "rev-parse", "HEAD")}\n`);
    request = Buffer.from(`${line("command=fetch\n")}0001${want}${line("done\n")}0000`);
  });
  afterEach(() => opened?.close());
  after(() => rmSync(folder, { recursive: true, force: true }));

  const open = (options: Partial<UploadPackOptions>) =>
    (opened = openUploadPack({
      log: () => undefined,
      program: "git",
      searchPath: process.env["PATH"],
      ...options,
    }));
  const fetchFor = (uploads: UploadPack, caller: string) =>
    uploads.answer(directory, { protocol: "version=2", caller }, request);
  const isWhole = async (answer: Readable) => (await buffer(answer)).length > 4_000_000;

  it("are left to others by one who holds half of them and does not read", async () => {
    const uploads = open({ atOnce: 2 });
    const first = await fetchFor(uploads, "greedy");
    const second = fetchFor(uploads, "greedy");

    assert.ok(await isWhole(await fetchFor(uploads, "other")));
    assert.equal(await Promise.race([second, sleep(300, "waits")]), "waits");
    first.destroy();
    assert.ok(await isWhole(await second));
  });

  it("end with a reader that is too slow, and not with one that takes its time", async () => {
    const uploads = open({ atOnce: 1, slowMs: 700 });
    const stuck = await fetchFor(uploads, "stuck");
    const gone = new Promise<NodeJS.ErrnoException>((resolve) => stuck.once("error", resolve));
    const next = fetchFor(uploads, "next");

    assert.equal((await gone).code, "ECANCELED");
    const answer = await next;
    let bytes = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes < 500_000) await sleep(100);
    }
    assert.ok(bytes > 4_000_000, `${bytes} bytes`);
  });

  it("give their place back where they can't be started at all", async () => {
    const uploads = open({ atOnce: 1 });
    const client = { protocol: "", caller: "one" };
    // No system takes such an argument: `spawn` throws at once.
    await assert.rejects(uploads.advertise("/no\0where", client), { code: "storage_unavailable" });

    assert.ok((await buffer(await uploads.advertise(directory, client))).length > 0);
  });
});

describe("a clone whose download can't be counted", () => {
  it("has started no process", async () => {
    const service = await startService();
    try {
      const owner = await service.newUser();
      const org = await service.newOrg(owner);
      const made = await service.call<{ skill: { id: string }; version: { commit: string } }>(
        "POST",
        "/api/skills",
        {
          token: owner.token,
          body: { tenantId: org.id, name: "Broken", content: "# Broken\n", visibility: "public" },
        },
      );
      await service.settled();
      const { id } = made.data.skill;
      const { raw } = service.app.storage.database;
      await raw.collection<SkillDoc>("skills").updateOne({ _id: id }, { $set: { "current.version": 77 } });
      let started = 0;
      const { answer } = service.app.uploadPack;
      service.app.uploadPack.answer = (...call) => {
        started++;
        return answer(...call);
      };
      const want = line(`want ${made.data.version.commit}\n`);
      const body = `${line("command=fetch\n")}0001${want}${line("done\n")}0000`;

      const reply = await service.raw("POST", `/${org.slug}/broken.git/git-upload-pack`, {
        bytes: Buffer.from(body),
        headers: { "git-protocol": "version=2" },
      });
      await reply.text();

      assert.ok(reply.status >= 400, String(reply.status));
      assert.equal(started, 0);
    } finally {
      await service.close();
    }
  });
});
