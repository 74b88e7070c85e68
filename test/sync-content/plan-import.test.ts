import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MergeBase, ImportAction, PlatformSkill } from "../../src/sync/content/plan-types.ts";
import { a, b, base, dir, plan, summarize } from "../support/sync/import-plans.ts";

describe("a known directory", () => {
  const known = { bases: [base("A", "skills/a", "one")], skills: [a] };
  const cases: [what: string, remote: string, versions: string[], expected: ImportAction[]][] = [
    ["is skipped if it did not change", "one", ["one"], []],
    ["is skipped if only the service changed it", "one", ["one", "two"], []],
    [
      "becomes a version if only the repository changed it",
      "two",
      ["one"],
      [{ kind: "version", skillId: "A", path: "skills/a", contentTree: "two", conflict: false }],
    ],
    [
      "is agreed on if both sides made the same change",
      "two",
      ["one", "two"],
      [{ kind: "adopt", skillId: "A", path: "skills/a", contentTree: "two" }],
    ],
    [
      "becomes a version on top of the service's if both sides changed it",
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

  it("causes no conflict after an import whose format differs from our own", async () => {
    const conflicts: unknown[] = [];
    // The pushed content, and an older version of it: the skill was changed and reverted in the service.
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

  it("is compared with the service only if it differs", async () => {
    const many = Array.from({ length: 500 }, (_, n) => ({ id: `S${n}`, path: `skills/s${n}` }));
    const { asked } = await plan({
      directories: many.map(({ path }, n) => dir(path, n === 7 ? "edited" : "one")),
      bases: many.map(({ id, path }) => base(id, path, "one")),
      skills: many,
      versions: { S7: ["one"] },
    });
    assert.deepEqual(asked, ["S7"]);
  });

  it("of a deleted skill comes back as a new skill only if it was edited", async () => {
    const gone = { bases: [base("A", "skills/a", "one")], skills: [] };
    assert.deepEqual((await plan({ ...gone, directories: [dir("skills/a", "one", "A")] })).actions, []);
    assert.deepEqual((await plan({ ...gone, directories: [dir("skills/a", "two", "A")] })).actions, [
      { kind: "create", path: "skills/a", contentTree: "two", after: "A" },
    ]);
  });

  it("has no effect on its skill if it is missing", async () => {
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

  it("that claims a skill is the skill's moved directory if the old one is gone", async () => {
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

  it("remains that skill's as long as it exists", async () => {
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

  it("is a copy, and therefore a new skill, if the old one still exists", async () => {
    const { actions } = await plan({
      directories: [dir("skills/a", "one", "A"), dir("skills/copy", "one", "A")],
      bases: [base("A", "skills/a", "one")],
      skills: [a],
    });
    assert.deepEqual(actions, [{ kind: "create", path: "skills/copy", contentTree: "one" }]);
  });

  it("is not imported if two claim a skill whose own directory is gone", async () => {
    const { actions } = await plan({
      directories: [dir("skills/y", "one", "A"), dir("skills/z", "one", "A")],
      bases: [base("A", "skills/a", "one")],
      skills: [a],
      versions: { A: ["one"] },
    });
    assert.deepEqual(summarize(actions), ["claimed_twice skills/y A", "claimed_twice skills/z A"]);
  });
});

describe("lost sync state", () => {
  it("is rebuilt from the branch, for any version that the service wrote", async () => {
    const versions = { A: ["one", "two", "three"] };
    for (const found of ["one", "two", "three"])
      assert.deepEqual(
        (await plan({ directories: [dir("skills/a", found, "A")], skills: [a], versions })).actions,
        [{ kind: "adopt", skillId: "A", path: "skills/a", contentTree: found }],
      );
  });

  it("loses no edit: content that the service never wrote becomes a version, over the service's own", async () => {
    const input = { directories: [dir("skills/a", "edit", "A")], skills: [a], versions: { A: ["one"] } };
    assert.deepEqual((await plan(input)).actions, [
      { kind: "version", skillId: "A", path: "skills/a", contentTree: "edit", conflict: true },
    ]);
  });

  it("causes no conflict if there is only one version that the edit can be based on", async () => {
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

  it("follows a folder that was renamed and pushed before the state was written", async () => {
    const { actions } = await plan({
      directories: [dir("skills/new/a", "one", "A")],
      bases: [base("A", "skills/old/a", "one")],
      skills: [{ id: "A", path: "skills/new/a" }],
      versions: { A: ["one"] },
    });
    assert.deepEqual(actions, [{ kind: "adopt", skillId: "A", path: "skills/new/a", contentTree: "one" }]);
  });

  it("matches a skill that was just created from the branch", async () => {
    const { actions } = await plan({
      directories: [dir("skills/a", "one")],
      skills: [a],
      versions: { A: ["one"] },
    });
    assert.deepEqual(actions, [{ kind: "adopt", skillId: "A", path: "skills/a", contentTree: "one" }]);
  });

  it("takes nothing from a skill that has its own directory elsewhere", async () => {
    const { actions } = await plan({
      directories: [dir("skills/a", "mine"), dir("skills/b", "one", "B")],
      bases: [base("B", "skills/b", "one")],
      skills: [a, b],
      versions: { A: ["other"] },
    });
    assert.deepEqual(actions, [{ kind: "create", path: "skills/a", contentTree: "mine", there: "A" }]);
  });
});

describe("a sync that crashed before it wrote its state", () => {
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

  it("has its push recognized, though the skill was published since", async () => {
    assert.deepEqual(await actionsOf("two", ["one", "two", "three"]), [{ ...adopted, contentTree: "two" }]);
    assert.deepEqual(await actionsOf("two", ["one", "two", "one"]), [{ ...adopted, contentTree: "two" }]);
  });

  it("has its import recognized, even if the skill has changed in the service since", async () => {
    assert.deepEqual(await actionsOf("edit", ["one", "imported edit", "three"]), [
      { ...adopted, contentTree: "edit" },
    ]);
  });

  it("has its conflict reported", async () => {
    assert.deepEqual(await actionsOf("edit", ["one", "ours", "imported edit"]), [
      { ...adopted, contentTree: "edit", unrecorded: { winning: 3, losing: 2 } },
    ]);
  });

  it("causes no conflict between two edits of the repository", async () => {
    assert.deepEqual(await actionsOf("edit 2", ["one", "imported edit"]), [
      { kind: "version", skillId: "A", path: "skills/a", contentTree: "edit 2", conflict: false },
    ]);
  });

  it("is not assumed if the repository restores earlier content, moved or not", async () => {
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
