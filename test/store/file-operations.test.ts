import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { describe, it } from "node:test";
import type { RepoId } from "../../repos/store/index.ts";
import { closedAfter } from "../support/set-up.ts";
import { draft, openBench, textFile } from "./fixtures.ts";

/** Without `O_DSYNC`, each file is flushed by an operation of its own. */
const flushes = (files: number) => (process.platform === "linux" ? 0 : files);
const attempts = 5;

let made = 0;

const bench = await closedAfter(openBench({ autoMaintain: false }));
const nextRepo = (): RepoId => ({
  tenantId: "a".repeat(24),
  skillId: (++made * 256).toString(16).padStart(24, "0"),
});
// The first repository of a folder also flushes the folders above it.
await create();

async function create() {
  const repo = nextRepo();
  const written = await bench.store.writeCommit(repo, draft([textFile("SKILL.md", `text ${made}`)]));
  return { repo, oid: written.oid };
}

/** File operations that work hands to the thread pool; the fewest of some attempts, since others may run as well. */
async function fewestOperations(work: () => Promise<() => Promise<unknown>>): Promise<number> {
  const counts: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const measured = await work();
    let count = 0;
    const hook = createHook({
      init(_, type) {
        if (type === "FSREQCALLBACK") count++;
      },
    }).enable();
    await measured();
    hook.disable();
    counts.push(count);
  }
  return Math.min(...counts);
}

describe("the file operations of a publish", () => {
  it("are at most 28 for the first version of a skill", async () => {
    const count = await fewestOperations(async () => create);

    assert.ok(count <= 28 + flushes(3), `${count}`);
  });

  it("are at most 11 for the next version", async () => {
    const count = await fewestOperations(async () => {
      const { repo, oid } = await create();
      const next = { ...draft([textFile("SKILL.md", `next ${made}`)]), parent: oid };
      return () => bench.store.writeCommit(repo, next);
    });

    assert.ok(count <= 11 + flushes(2), `${count}`);
  });

  it("are at most 10 for its refs and tags", async () => {
    const count = await fewestOperations(async () => {
      const { repo, oid } = await create();
      const tags = [{ name: "v1.0.0", oid }];
      return () => bench.store.advanceRefs(repo, async () => ({ main: oid, head: oid, tags }));
    });

    assert.ok(count <= 10 + flushes(1), `${count}`);
  });
});
