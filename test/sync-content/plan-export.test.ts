import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type ExportedAs,
  type ExportedBase,
  type PresentDirectory,
  type SkillToExport,
  isPush,
  planExport,
} from "../../src/sync/content/export/plan-export.ts";

interface Scenario {
  skills: SkillToExport[];
  bases?: ExportedBase[];
  directories?: PresentDirectory[];
  full?: boolean;
  skipped?: string[];
  refused?: string[];
  exported?: Record<string, ExportedAs>;
}

const same = { contentTree: "one", svcBlob: "svc" };

async function plan({
  skills,
  bases = [],
  directories = [],
  full = false,
  skipped = [],
  refused = [],
  exported = {},
}: Scenario) {
  const asked: string[] = [];
  const exports = await planExport({
    skills,
    bases,
    directories,
    full,
    now: new Date(),
    skipped: new Set(skipped),
    refused: new Set(refused),
    exported: async (id) => {
      asked.push(id);
      return exported[id] ?? same;
    },
  });
  return {
    exports,
    asked,
    moves: exports.filter(isPush).map(({ skillId, put, remove }) => ({ skillId, put: given(put), remove })),
  };
}

const skill = (path = "skills/a", revision = 1): SkillToExport => ({ id: "A", path, revision });
const base = (fields: Partial<ExportedBase> = {}): ExportedBase => ({
  skillId: "A",
  path: "skills/a",
  skillRevision: 1,
  ...same,
  ...fields,
});
/** A value as it is stored: without fields that are undefined. */
const given = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));
const there = (path = "skills/a", fields: Partial<PresentDirectory> = {}): PresentDirectory => ({
  path,
  svcId: "A",
  ...same,
  ...fields,
});

describe("the export of a skill", () => {
  it("is empty, and reads nothing, if neither side changed", async () => {
    const { exports, asked } = await plan({ skills: [skill()], bases: [base()], directories: [there()] });
    assert.deepEqual([exports, asked], [[], []]);
  });

  it("writes its directory if it is new or has changed", async () => {
    const put = [{ skillId: "A", put: { path: "skills/a" }, remove: [] }];
    assert.deepEqual((await plan({ skills: [skill()] })).moves, put);
    const changed = { A: { contentTree: "two", svcBlob: "svc2" } };
    assert.deepEqual(
      (
        await plan({
          skills: [skill("skills/a", 2)],
          bases: [base()],
          directories: [there()],
          exported: changed,
        })
      ).moves,
      put,
    );
    const described = { A: { contentTree: "one", svcBlob: "svc2" } };
    assert.deepEqual(
      (
        await plan({
          skills: [skill("skills/a", 2)],
          bases: [base()],
          directories: [there()],
          exported: described,
        })
      ).moves,
      put,
    );
  });

  it("records a change without effect on its content, and does not push it", async () => {
    const { exports, moves } = await plan({
      skills: [skill("skills/a", 9)],
      bases: [base()],
      directories: [there()],
    });
    assert.deepEqual(moves, []);
    assert.equal(exports[0]?.after?.skillRevision, 9);
  });

  it("moves its directory when its folder was renamed, with the files there", async () => {
    const { moves } = await plan({
      skills: [skill("skills/new/a")],
      bases: [base()],
      directories: [there()],
    });
    assert.deepEqual(moves, [
      { skillId: "A", put: { path: "skills/new/a", from: "skills/a" }, remove: ["skills/a"] },
    ]);
  });

  it("does not restore what the repository deleted, until the skill changes or a full sync runs", async () => {
    const deleted = { skills: [skill()], bases: [base()] };
    assert.deepEqual((await plan(deleted)).moves, []);
    assert.equal((await plan({ ...deleted, full: true })).moves[0]?.put?.path, "skills/a");
    assert.equal(
      (await plan({ ...deleted, skills: [skill("skills/a", 2)] })).moves[0]?.put?.path,
      "skills/a",
    );
  });

  it("does not restore the path of what the repository moved, until then", async () => {
    const moved = {
      skills: [skill()],
      bases: [base({ strayPath: "skills/z" })],
      directories: [there("skills/z")],
    };
    assert.deepEqual((await plan(moved)).moves, []);
    assert.deepEqual((await plan({ ...moved, full: true })).moves, [
      { skillId: "A", put: { path: "skills/a", from: "skills/z" }, remove: ["skills/z"] },
    ]);
  });

  it("writes its directory again if that names another skill, or none", async () => {
    for (const svcId of ["B", undefined]) {
      const renamed = {
        skills: [skill()],
        bases: [base()],
        directories: [there("skills/a", { svcId, svcBlob: "other" })],
      };
      assert.deepEqual((await plan(renamed)).moves, [
        { skillId: "A", put: { path: "skills/a" }, remove: [] },
      ]);
      assert.deepEqual((await plan({ ...renamed, skipped: ["A"] })).exports, []);
    }
    const described = { directories: [there("skills/a", { svcBlob: "other" })] };
    assert.deepEqual((await plan({ skills: [skill()], bases: [base()], ...described })).exports, []);
  });

  it("keeps directories that could not be imported", async () => {
    const edited = {
      skills: [skill("skills/a", 2)],
      bases: [base()],
      directories: [there("skills/a", { contentTree: "x" })],
    };
    assert.deepEqual((await plan({ ...edited, full: true, skipped: ["A"] })).exports, []);
    // Regardless of which skill it belongs to.
    const isThere = { directories: edited.directories, refused: ["skills/a"] };
    assert.deepEqual((await plan({ skills: [skill()], ...isThere })).exports, []);
    assert.deepEqual((await plan({ skills: [skill("skills/b")], ...isThere })).moves.length, 1);
  });

  it("removes its directory when it was deleted, unless the branch contains something else there", async () => {
    const gone = { skills: [], bases: [base()] };
    assert.deepEqual((await plan({ ...gone, directories: [there()] })).exports, [
      { skillId: "A", remove: ["skills/a"], after: undefined },
    ]);
    assert.deepEqual(
      (await plan({ ...gone, directories: [there("skills/a", { contentTree: "x" })] })).exports,
      [{ skillId: "A", remove: [], after: undefined }],
    );
    assert.deepEqual((await plan(gone)).exports, [{ skillId: "A", remove: [], after: undefined }]);
  });
});

describe("two skills that exchange their paths", () => {
  it("are both written, and neither removes the other", async () => {
    const { moves } = await plan({
      skills: [
        { id: "A", path: "skills/b", revision: 1 },
        { id: "B", path: "skills/a", revision: 1 },
      ],
      bases: [base(), base({ skillId: "B", path: "skills/b", contentTree: "other" })],
      directories: [there(), there("skills/b", { contentTree: "other" })],
      exported: { B: { contentTree: "other", svcBlob: "svc" } },
    });
    assert.deepEqual(moves, [
      { skillId: "A", put: { path: "skills/b" }, remove: [] },
      { skillId: "B", put: { path: "skills/a" }, remove: [] },
    ]);
  });

  it("in the repository are written back to their own paths at once", async () => {
    const { moves } = await plan({
      skills: [skill(), { id: "B", path: "skills/b", revision: 1 }],
      bases: [
        base({ strayPath: "skills/b" }),
        base({ skillId: "B", path: "skills/b", contentTree: "two", strayPath: "skills/a" }),
      ],
      directories: [there("skills/b"), there("skills/a", { svcId: "B", contentTree: "two" })],
      exported: { B: { contentTree: "two", svcBlob: "svc" } },
    });
    assert.deepEqual(moves, [
      { skillId: "A", put: { path: "skills/a" }, remove: [] },
      { skillId: "B", put: { path: "skills/b" }, remove: [] },
    ]);
  });

  it("are exported even if one was deleted and the other took its path", async () => {
    const { moves } = await plan({
      skills: [{ id: "B", path: "skills/a", revision: 1 }],
      bases: [base()],
      directories: [there()],
      exported: { B: { contentTree: "two", svcBlob: "svc" } },
    });
    assert.deepEqual(moves, [{ skillId: "B", put: { path: "skills/a" }, remove: [] }]);
  });
});
