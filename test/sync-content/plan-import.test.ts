import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MergeBase, ImportAction, PlatformSkill } from "../../src/sync/content/plan-types.ts";
import { a, b, base, dir, plan, summarize } from "../support/sync/import-plans.ts";

describe("a directory that is known", () => {
  const known = { bases: [base("A", "skills/a", "one")], skills: [a] };
  const cases: [what: string, remote: string, versions: string[], expected: ImportAction[]][] = [
    ["that did not change is nothing", "one", ["one"], []],
    ["that changed on the platform alone is nothing", "one", ["one", "two"], []],
    [
      "that changed in the repository alone is a version",
      "two",
      ["one"],
      [{ kind: "version", skillId: "A", path: "skills/a", contentTree: "two", conflict: false }],
    ],
    [
      "that changed on both sides alike is agreed on",
      "two",
      ["one", "two"],
      [{ kind: "adopt", skillId: "A", path: "skills/a", contentTree: "two" }],
    ],
    [
      "that changed on both sides is a version on top of the platform's",
      "two",
      ["one", "three"],
      [{ kind: "version", skillId: "A", path: "skills/a", contentTree: "two", conflict: true }],
    ],
  ];
  for (const [what, remote, versions, expected] of cases)
    it(what, async () => {
      const { actions } = await plan({
        ...known,
        directories: [dir("skills/a", remote, "A")],
        versions: { A: versions },
      });
      assert.deepEqual(actions, expected);
    });

  it("makes no conflict of what follows an import that is not written as we write it", async () => {
    const conflicts: unknown[] = [];
    // As it was pushed, and as an older version is written: then somebody here has gone back and forth.
    for (const [agreed, versions] of [
      ["pushed", ["zero", "imported one"]],
      ["zero", ["zero", "imported one"]],
      ["pushed", ["zero", "one"]],
    ] as const) {
      const { actions } = await plan({
        directories: [dir("skills/a", "two", "A")],
        bases: [{ ...base("A", "skills/a", agreed), version: 2 }],
        skills: [{ ...a, head: { version: 2 } }],
        versions: { A: [...versions] },
      });
      conflicts.push(...actions.map((action) => action.kind === "version" && action.conflict));
    }
    assert.deepEqual(conflicts, [false, true, true]);
  });

  it("asks the platform of what differs only", async () => {
    const many = Array.from({ length: 500 }, (_, n) => ({ id: `S${n}`, path: `skills/s${n}` }));
    const { asked } = await plan({
      directories: many.map(({ path }, n) => dir(path, n === 7 ? "edited" : "one")),
      bases: many.map(({ id, path }) => base(id, path, "one")),
      skills: many,
      versions: { S7: ["one"] },
    });
    assert.deepEqual(asked, ["S7"]);
  });

  it("of a skill that was deleted comes back as a new one only where it was edited", async () => {
    const gone = { bases: [base("A", "skills/a", "one")], skills: [] };
    assert.deepEqual((await plan({ ...gone, directories: [dir("skills/a", "one", "A")] })).actions, []);
    assert.deepEqual((await plan({ ...gone, directories: [dir("skills/a", "two", "A")] })).actions, [
      { kind: "create", path: "skills/a", contentTree: "two", after: "A" },
    ]);
  });

  it("says nothing of a skill when it is not there", async () => {
    assert.deepEqual(
      (await plan({ directories: [], bases: [base("A", "skills/a", "one")], skills: [a] })).actions,
      [],
    );
  });
});

describe("a directory at a new path", () => {
  it("without a claim is a new skill", async () => {
    for (const svcId of [undefined, "of-another-organization"])
      assert.deepEqual((await plan({ directories: [dir("skills/x/new", "one", svcId)] })).actions, [
        { kind: "create", path: "skills/x/new", contentTree: "one" },
      ]);
  });

  it("is the moved one of the skill that it claims, where that one's own is gone", async () => {
    const moved = { bases: [base("A", "skills/a", "one")], skills: [a], versions: { A: ["one"] } };
    assert.deepEqual((await plan({ ...moved, directories: [dir("skills/z", "one", "A")] })).actions, [
      { kind: "adopt", skillId: "A", path: "skills/a", contentTree: "one", strayPath: "skills/z" },
    ]);
    assert.deepEqual((await plan({ ...moved, directories: [dir("skills/z", "two", "A")] })).actions, [
      {
        kind: "version",
        skillId: "A",
        path: "skills/a",
        contentTree: "two",
        conflict: false,
        strayPath: "skills/z",
      },
    ]);
  });

  it("goes on being that one's while it lies there", async () => {
    const stray = {
      bases: [base("A", "skills/a", "one", "skills/z")],
      skills: [a],
      versions: { A: ["one"] },
    };
    assert.deepEqual((await plan({ ...stray, directories: [dir("skills/z", "one", "A")] })).actions, []);
    const edited = await plan({ ...stray, directories: [dir("skills/z", "two", "A")] });
    assert.deepEqual(edited.actions, [
      {
        kind: "version",
        skillId: "A",
        path: "skills/a",
        contentTree: "two",
        conflict: false,
        strayPath: "skills/z",
      },
    ]);
  });

  it("is a copy, and so a new skill, where that one's own is still there", async () => {
    const { actions } = await plan({
      directories: [dir("skills/a", "one", "A"), dir("skills/copy", "one", "A")],
      bases: [base("A", "skills/a", "one")],
      skills: [a],
    });
    assert.deepEqual(actions, [{ kind: "create", path: "skills/copy", contentTree: "one" }]);
  });

  it("is not imported where two claim a skill whose own is gone", async () => {
    const { actions } = await plan({
      directories: [dir("skills/y", "one", "A"), dir("skills/z", "one", "A")],
      bases: [base("A", "skills/a", "one")],
      skills: [a],
      versions: { A: ["one"] },
    });
    assert.deepEqual(summarize(actions), ["claimed_twice skills/y A", "claimed_twice skills/z A"]);
  });
});

describe("books that were lost", () => {
  it("are made again from what the branch holds, of any version that we ever wrote", async () => {
    const versions = { A: ["one", "two", "three"] };
    for (const found of ["one", "two", "three"])
      assert.deepEqual(
        (await plan({ directories: [dir("skills/a", found, "A")], skills: [a], versions })).actions,
        [{ kind: "adopt", skillId: "A", path: "skills/a", contentTree: found }],
      );
  });

  it("lose no edit: what we never wrote becomes a version, the platform's being passed over", async () => {
    const world = { directories: [dir("skills/a", "edit", "A")], skills: [a], versions: { A: ["one"] } };
    assert.deepEqual((await plan(world)).actions, [
      { kind: "version", skillId: "A", path: "skills/a", contentTree: "edit", conflict: true },
    ]);
  });

  it("make no conflict where there is one version that the edit can be of", async () => {
    const { actions } = await plan({
      directories: [dir("skills/a", "edit", "A")],
      skills: [{ ...a, head: { version: 1 } }],
      versions: { A: ["one"] },
    });
    assert.deepEqual(
      actions.map((action) => action.kind === "version" && action.conflict),
      [false],
    );
  });

  it("follow a folder that was renamed and pushed before they were written", async () => {
    const { actions } = await plan({
      directories: [dir("skills/new/a", "one", "A")],
      bases: [base("A", "skills/old/a", "one")],
      skills: [{ id: "A", path: "skills/new/a" }],
      versions: { A: ["one"] },
    });
    assert.deepEqual(actions, [{ kind: "adopt", skillId: "A", path: "skills/new/a", contentTree: "one" }]);
  });

  it("know a skill again that was created from the branch just before", async () => {
    const { actions } = await plan({
      directories: [dir("skills/a", "one")],
      skills: [a],
      versions: { A: ["one"] },
    });
    assert.deepEqual(actions, [{ kind: "adopt", skillId: "A", path: "skills/a", contentTree: "one" }]);
  });

  it("take nothing of a skill that has its own directory elsewhere", async () => {
    const { actions } = await plan({
      directories: [dir("skills/a", "mine"), dir("skills/b", "one", "B")],
      bases: [base("B", "skills/b", "one")],
      skills: [a, b],
      versions: { A: ["other"] },
    });
    assert.deepEqual(actions, [{ kind: "create", path: "skills/a", contentTree: "mine", there: "A" }]);
  });
});

describe("a sync that was stopped before it wrote its books", () => {
  const stood = (contentTree: string): MergeBase => ({ ...base("A", "skills/a", contentTree), version: 1 });
  const newer = (version: number): PlatformSkill => ({ ...a, head: { version } });
  const actionsOf = async (found: string, versions: string[]) =>
    (
      await plan({
        directories: [dir("skills/a", found, "A")],
        bases: [stood("one")],
        skills: [newer(versions.length)],
        versions: { A: versions },
      })
    ).actions;
  const adopted = { kind: "adopt", skillId: "A", path: "skills/a" } as const;

  it("has its push known again, though the skill was published since", async () => {
    assert.deepEqual(await actionsOf("two", ["one", "two", "three"]), [{ ...adopted, contentTree: "two" }]);
    assert.deepEqual(await actionsOf("two", ["one", "two", "one"]), [{ ...adopted, contentTree: "two" }]);
  });

  it("has its import known again, whoever has gone on from it here", async () => {
    assert.deepEqual(await actionsOf("edit", ["one", "imported edit", "three"]), [
      { ...adopted, contentTree: "edit" },
    ]);
  });

  it("has the conflict told that it had decided", async () => {
    assert.deepEqual(await actionsOf("edit", ["one", "ours", "imported edit"]), [
      { ...adopted, contentTree: "edit", unrecorded: { winning: 3, losing: 2 } },
    ]);
  });

  it("makes no conflict of two edits of the repository", async () => {
    assert.deepEqual(await actionsOf("edit 2", ["one", "imported edit"]), [
      { kind: "version", skillId: "A", path: "skills/a", contentTree: "edit 2", conflict: false },
    ]);
  });

  it("is not taken for one where the repository goes back to what it once held, moved or not", async () => {
    for (const place of ["skills/a", "skills/moved"]) {
      const { actions } = await plan({
        directories: [dir(place, "one", "A")],
        bases: [{ ...stood("two"), version: 2 }],
        skills: [newer(2)],
        versions: { A: ["one", "two"] },
      });
      assert.deepEqual(
        actions.map(({ kind, path }) => `${kind} ${path}`),
        ["version skills/a"],
      );
    }
  });
});
