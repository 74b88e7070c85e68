import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { PackStore } from "../../repos/store/driver.ts";
import { ObjectReader } from "../../repos/store/object-reader.ts";
import { openPosixDriver } from "../../repos/store/posix/posix.ts";
import { closedAfter } from "../support/set-up.ts";
import { draft, openBench, repo, textFile } from "./fixtures.ts";

describe("a reader next to another process that writes", async () => {
  const bench = await closedAfter(openBench({ autoMaintain: false }));

  /** The driver, with hooks on the content and timing of each listing of the folder. */
  function openReader(onList: (list: PackStore["list"]) => ReturnType<PackStore["list"]>): ObjectReader {
    const options = {
      root: join(bench.folder, "git"),
      readHandles: 8,
      staleLockMs: 1000,
      log: () => undefined,
    };
    const { packs } = openPosixDriver(options);
    const list = packs.list.bind(packs);
    return new ObjectReader({ ...boundMethods(packs), list: () => onList(list) }, 1 << 20, () => undefined);
  }

  it("finds what was written after the current listing had begun", async () => {
    const first = await bench.store.writeCommit(repo, draft([textFile("SKILL.md", "one\n")]));
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let listings = 0;
    const reader = openReader(async (list) => {
      const seen = await list(repo);
      if (++listings === 1) await gate;
      return seen;
    });

    const early = reader.read(repo, first.oid, "commit");
    const second = await bench.store.writeCommit(repo, draft([textFile("SKILL.md", "two\n")], first.oid, 2));
    const late = reader.read(repo, second.oid, "commit");
    open();

    await early;
    assert.match((await late).toString(), /^tree /);
  });

  it("keeps what it has read in memory of its own, not as a part of a shared block", async () => {
    const { oid } = await bench.store.writeCommit(repo, draft([textFile("SKILL.md", "kept\n")]));
    const reader = openReader((list) => list(repo));

    await reader.read(repo, oid, "commit");
    const kept = await reader.read(repo, oid, "commit");

    assert.equal(kept.buffer.byteLength, kept.length);
  });

  it("lists again if a listing fell between an old pack and the new one", async () => {
    const third = await bench.store.writeCommit(repo, draft([textFile("SKILL.md", "three\n")]));
    let listings = 0;
    const reader = openReader(async (list) => (++listings === 1 ? { packs: [], notes: [] } : list(repo)));

    assert.match((await reader.read(repo, third.oid, "commit")).toString(), /^tree /);
  });

  it("still reports a missing object quickly", async () => {
    let listings = 0;
    const reader = openReader((list) => {
      listings++;
      return list(repo);
    });

    await assert.rejects(reader.read(repo, "0".repeat(40), "commit"), { code: "object_missing" });
    assert.ok(listings <= 3, `${listings} listings`);
  });
});

/** The methods of a driver as an object of their own, so that one can be replaced. */
function boundMethods(packs: PackStore): PackStore {
  const names = [
    ...new Set([...Object.keys(packs), ...Object.getOwnPropertyNames(Object.getPrototypeOf(packs))]),
  ] as (keyof PackStore)[];
  const methods = names.filter(
    (name) => typeof packs[name] === "function" && name !== ("constructor" as string),
  );
  return Object.fromEntries(methods.map((name) => [name, packs[name].bind(packs)])) as Record<
    keyof PackStore,
    never
  >;
}
