/** Slots of clones: limited per caller, network and repository, and freed whatever happens to a clone. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { after, afterEach, before, describe, it } from "node:test";
import { openSlots } from "../../contract/concurrency/slots.ts";
import { killGitProcesses } from "../../repos/git-process.ts";
import { refusalOfFetch } from "../../repos/serve/fetch-request.ts";
import { openUploadPack, type UploadPack, type UploadPackOptions } from "../../repos/serve/upload-pack.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { runGit } from "../support/host/git-host.ts";
import { processesIn, waitForNoProcess } from "../support/process-table.ts";
import { moduleFile, nodeOptions } from "../support/root.ts";
import { startService } from "../support/service.ts";
import { newOrganization } from "../support/set-up.ts";

const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;

describe("clone slots of callers", () => {
  it("are limited to half for one caller, who lets others go first in the queue", async () => {
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

  it("are awaited for a limited time", async () => {
    const slots = openSlots({ count: 1, waiting: 4, waitMs: 50 });
    const release = await slots.take("one");

    assert.equal(await slots.take("other"), undefined);
    release!();
    assert.ok(await slots.take("other"));
  });

  it("are limited per network and repository, and the last ones kept for others", async () => {
    const slots = openSlots({
      count: 8,
      kept: 2,
      perSubject: 5,
      waiting: 0,
      waitMs: 0,
    });
    const take = async (caller: string, group: string, subject: string) =>
      (await slots.take(caller, { group, subject })) !== undefined;

    for (const n of [1, 2, 3, 4]) assert.ok(await take(`a${n}`, "net", "r1"));
    assert.ok(!(await take("b", "net", "r2")), "of the network");
    assert.ok(await take("b", "other", "r1"));
    assert.ok(!(await take("c", "third", "r1")), "of the repository");
    assert.ok(await take("b", "other", "r2"));
    assert.ok(!(await take("b", "other", "r3")), "kept from a caller that holds some");
    assert.ok(!(await take("b2", "other", "r3")), "kept from a network that holds some");
    assert.ok(await take("c", "third", "r3"));
    assert.ok(await take("d", "fourth", "r4"));
    assert.ok(!(await take("e", "fifth", "r5")), "all are held");
  });

  it("are awaited by one network in half of the queue", async () => {
    const slots = openSlots({ count: 1, waiting: 4, waitMs: 600_000 });
    const release = await slots.take("one");
    const waiting = ["a", "b"].map((caller) => slots.take(caller, { group: "net" }));

    assert.equal(await slots.take("c", { group: "net" }), undefined);

    const other = slots.take("d", { group: "other" });
    release!();
    for (const next of [...waiting, other]) (await next)!();
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

  it("leave a slot to others when one caller holds half of them and does not read", async () => {
    // More than the spool may have, so that git waits for the reader.
    const uploads = open({ atOnce: 2, spoolBytes: 1_000_000 });
    const first = await fetchFor(uploads, "greedy");
    let isServed = false;
    const second = fetchFor(uploads, "greedy").finally(() => (isServed = true));

    assert.ok(await isWhole(await fetchFor(uploads, "other")));
    assert.equal(isServed, false);
    first.destroy();
    assert.ok(await isWhole(await second));
  });

  it("end at once for readers that take nothing, whose answers stay complete", async () => {
    const uploads = open({ atOnce: 2 });
    const waiting = await Promise.all(
      Array.from({ length: 8 }, (_, n) => fetchFor(uploads, `slow ${n % 4}`)),
    );

    assert.ok(await isWhole(await fetchFor(uploads, "other")));
    await waitForNoProcess(directory);
    const [one, ...others] = waiting;
    for (const answer of others.slice(1)) answer.destroy();
    assert.ok(await isWhole(one!));
    assert.ok(await isWhole(others[0]!));
  });

  it("end with a reader that stalls", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const stuck = await fetchFor(open({ spoolBytes: 1_000_000 }), "stuck");
    const gone = assert.rejects(once(stuck, "close"), { code: "ECANCELED" });
    await once(stuck, "readable");

    t.mock.timers.tick(60_000);
    assert.equal(stuck.destroyed, false, "what came during a minute is not expected in it");
    t.mock.timers.tick(60_000);

    await gone;
    await waitForNoProcess(directory);
  });

  for (const [what, bytesEachMinute, end] of [
    // A fifteenth of the answer is 267 kB. 100 kB are enough for a small one.
    ["is complete for a reader that takes a fifteenth of it each minute", 300_000, undefined],
    ["ends for a reader that takes less than a fifteenth of it each minute", 100_000, "ECANCELED"],
  ] as const)
    it(`have an answer that ${what}`, async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const answer = await fetchFor(open({}), "slow");
      await waitForNoProcess(directory);

      let [bytes, inMinute] = [0, 0];
      const reading = (async () => {
        for await (const piece of answer as AsyncIterable<Buffer>) {
          bytes += piece.length;
          inMinute += piece.length;
          if (inMinute < bytesEachMinute) continue;
          inMinute = 0;
          t.mock.timers.tick(60_000);
        }
      })();

      if (end !== undefined) return assert.rejects(reading, { code: end });
      await reading;
      assert.ok(bytes > 4_000_000, `${bytes} bytes`);
    });

  it("are started with git's own limits on filters", async () => {
    const filtered = Buffer.from(
      request.toString().replace("0009done", `${line("filter tree:1\n")}0009done`),
    );
    const answer = await open({}).answer(directory, { protocol: "version=2", caller: "one" }, filtered);

    assert.match((await buffer(answer)).toString(), /ERR .*(filter|tree)/);
  });

  it("free their slot if they can't be started", async () => {
    const uploads = open({ atOnce: 1 });
    const client = { protocol: "", caller: "one" };
    // No system accepts such an argument: `spawn` throws immediately.
    await assert.rejects(uploads.advertise("/no\0where", client), {
      code: "storage_unavailable",
    });

    assert.ok((await buffer(await uploads.advertise(directory, client))).length > 0);
  });
});

describe("a child of git that does not end", () => {
  let folder: string;
  let program: string;

  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "svc-left-behind-"));
    program = path.join(folder, "git");
    const stubborn = "trap '' TERM; while :; do sleep 0.2; done";
    writeFileSync(program, `#!/bin/sh\ncd ${folder}\nulimit -t\n(${stubborn}) &\n[ -e exit ] || wait\n`);
    chmodSync(program, 0o755);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const client = { protocol: "version=2", caller: "one" };
  const open = () =>
    openUploadPack({
      log: () => undefined,
      program,
      searchPath: process.env["PATH"],
    });
  /** The stream, once the process and its child run. */
  async function start(uploads: UploadPack): Promise<Readable> {
    const answer = await uploads.answer(folder, client, Buffer.from("0000"));
    answer.on("error", () => undefined);
    const [limit] = (await once(answer, "data")) as [Buffer];
    assert.equal(limit.toString(), "120\n", "seconds of CPU time");
    assert.ok(processesIn(folder).length > 0);
    return answer;
  }

  for (const [what, leave] of [
    ["the client disconnects", (answer: Readable) => void answer.destroy()],
    ["the service closes", (_: Readable, uploads: UploadPack) => uploads.close()],
    ["a job process exits", () => killGitProcesses()],
  ] as const)
    it(`is killed with git when ${what}`, async () => {
      const uploads = open();
      const answer = await start(uploads);

      await leave(answer, uploads);

      await waitForNoProcess(folder);
      await uploads.close();
    });

  it("is killed with git when the time limit is exceeded", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const uploads = open();
    await start(uploads);

    t.mock.timers.tick(15 * 60_000);
    t.mock.timers.reset();

    await waitForNoProcess(folder);
    await uploads.close();
  });

  it("is killed when git itself exits", async () => {
    writeFileSync(path.join(folder, "exit"), "");
    try {
      const uploads = open();
      assert.equal(
        (await buffer(await uploads.answer(folder, client, Buffer.from("0000")))).toString(),
        "120\n",
      );

      await waitForNoProcess(folder);
    } finally {
      rmSync(path.join(folder, "exit"));
    }
  });

  it("is killed when the service's process exits", async () => {
    const module = moduleFile("repos/serve/upload-pack.ts");
    const code = `
      const { openUploadPack } = await import(${JSON.stringify(module)});
      const uploads = openUploadPack({ program: ${JSON.stringify(program)}, searchPath: process.env.PATH, log() {} });
      const answer = await uploads.answer(${JSON.stringify(folder)}, ${JSON.stringify(client)}, Buffer.from("0000"));
      answer.once("data", () => process.exit(3));`;
    const service = spawn(process.execPath, [...nodeOptions, "--input-type=module", "-e", code]);

    assert.deepEqual(await once(service, "exit"), [3, null]);

    await waitForNoProcess(folder);
  });
});

describe("a fetch request", () => {
  const want = line(`want ${"a".repeat(40)} multi_ack\n`);
  const withFilter = (filter: string) => [
    `${line("command=fetch\n")}0001${want}${line(`filter ${filter}\n`)}${line("done\n")}0000`,
    `${want}${line(`filter ${filter}`)}0000${line("done\n")}`,
    `${want}${line(`deepen 1\n`)}${line(`filter ${filter}\n`)}0000`,
  ];

  it("may contain filters that cost little, and no others", () => {
    for (const filter of ["blob:none", "blob:limit=0", "blob:limit=1048576", "blob:limit=10k", "tree:0"])
      for (const body of withFilter(filter)) assert.equal(refusalOfFetch(Buffer.from(body)), undefined, body);
    for (const filter of [
      "sparse:oid=HEAD",
      "sparse:path=x",
      "tree:1",
      "tree:00",
      "blob:limit=",
      "blob:none\nsparse:oid=HEAD",
      "combine:blob:none+sparse:oid=HEAD",
      "object:type=blob",
      "",
      " blob:none",
      "blob%3Anone",
    ])
      for (const body of withFilter(filter))
        assert.match(refusalOfFetch(Buffer.from(body)) ?? "", /filter is not supported/, body);
  });

  it("is in Git's packet format", () => {
    for (const body of ["", "0000", `${want}0000`, "0004", `${want}0001${want}0002`])
      assert.equal(refusalOfFetch(Buffer.from(body)), undefined, body);
    for (const body of ["0", "zzzz", "0003", "0005", "fff1", `${want}0`, `${want}00`, "-001", "0x10", " 010"])
      assert.match(refusalOfFetch(Buffer.from(body)) ?? "", /packet format/, body);
  });
});

describe("a clone whose download can't be counted", () => {
  it("starts no process", async () => {
    const service = await startService();
    try {
      const { owner, org } = await newOrganization(service);
      const made = await service.call<{
        skill: { id: string };
        version: { commit: string };
      }>("POST", "/api/skills", {
        token: owner.token,
        body: {
          tenantId: org.id,
          name: "Broken",
          content: "# Broken\n",
          visibility: "public",
        },
      });
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
