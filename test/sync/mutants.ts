/**
 * The rules of the sync, each broken in one place of the source, which must be noticed (`mutants.test.ts`): a check that no
 * broken rule can fail proves nothing.
 */
export interface Mutant {
  name: string;
  /** From the root of the repository. */
  file: string;
  /** The tests that must fail, where it takes a rare moment to show. By itself the random worlds. */
  shownBy?: string;
  /** Each is found once in the file. */
  edits: readonly (readonly [from: string, to: string])[];
}

export const mutants: readonly Mutant[] = [
  {
    name: "the platform wins a conflict",
    file: "src/sync/decide.ts",
    edits: [
      [
        `return { kind: "version", skillId, ...found, conflict };`,
        `return { kind: conflict ? "adopt" : "version", skillId, ...found, conflict } as ImportAction;`,
      ],
    ],
  },
  {
    name: "a directory that is deleted takes its skill with it",
    file: "src/sync/import.ts",
    edits: [
      [
        `const made: Made = { orphans, known: new Set(known.filter((id) => id !== undefined)) };`,
        `const made: Made = { orphans, known: new Set(known.filter((id) => id !== undefined)) };
  for (const { skillId, path: place, strayPath } of facts.bases.values())
    if (!at.has(place) && !at.has(strayPath ?? "") && !actions.some((one) => "skillId" in one && one.skillId === skillId))
      await work.app.storage.skills.collection.updateOne({ _id: skillId }, { $set: { deletedAt: new Date() } });`,
      ],
    ],
  },
  {
    name: "the echo of a push is imported",
    file: "src/sync/decide.ts",
    edits: [
      [`if (at >= 0) return`, `if (at > 1e9) return`],
      [
        `if (found.contentTree === platform || wasProposed(skillId, found.contentTree))`,
        `if (wasProposed(skillId, found.contentTree))`,
      ],
      [`if (contentTree === base.contentTree) return undefined;`, ``],
    ],
  },
  {
    name: "what a stopped sync has pushed is taken for an edit",
    shownBy: "test/sync/stopped.test.ts",
    file: "src/sync/decide.ts",
    edits: [[`if (at >= 0) return`, `if (at > 1e9) return`]],
  },
  {
    name: "a copy is the skill itself",
    shownBy: "test/sync/decide.test.ts",
    file: "src/sync/decide.ts",
    edits: [
      [
        `return !held && claimants.get(skill.id) === path ? skill : undefined;`,
        `return held ? skill : skill;`,
      ],
    ],
  },
  {
    name: "a branch that has moved is pushed over",
    shownBy: "test/mirror/known-host.test.ts",
    file: "repos/transport/send-pack.ts",
    edits: [
      [`if (now !== request.from) return { status: "moved" };`, ``],
      [
        `const result = await push(session, request, banded);`,
        `const result = await push(session, { ...request, from: now }, banded);`,
      ],
    ],
  },
  {
    name: "what is imported is not booked",
    file: "src/sync/import.ts",
    edits: [
      [
        `await work.app.storage.syncBases.putMany(work.connection, fenceOf(work), [row]);\n}\n\n/** Tells`,
        `void row;\n}\n\n/** Tells`,
      ],
    ],
  },
  {
    name: "what is pushed is not booked",
    shownBy: "test/sync/engine.test.ts",
    file: "src/sync/export.ts",
    edits: [[`steps.flatMap(({ after }) => (after ? [after] : []))`, `steps.flatMap(() => [])`]],
  },
  {
    name: "an edit that can't be read is overwritten",
    file: "src/sync/plan-export.ts",
    edits: [[`if (held.has(skill.id) || refused.has(skill.path) || (`, `if ((`]],
  },
  {
    name: "a conflict is not told",
    file: "src/sync/import.ts",
    edits: [[`  counts.conflicts++;\n`, `  counts.conflicts++;\n  if (counts.conflicts > 0) return;\n`]],
  },
  {
    name: "a new skill is public",
    file: "src/skills/import.ts",
    edits: [[`visibility: "private",`, `visibility: "public",`]],
  },
  {
    name: "a full sync puts nothing back",
    shownBy: "test/sync/plan-export.test.ts",
    file: "src/sync/plan-export.ts",
    edits: [[`(!isNews && !full)`, `!isNews`]],
  },
  {
    name: "an import is decided on what was there before",
    shownBy: "test/sync/import.test.ts",
    file: "src/skills/publish-version.ts",
    edits: [[`if (imported && imported.expectedHead !== skill.head.version) throw movedOn(skill);`, ``]],
  },
];
