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
    file: "src/sync/content/plan-existing.ts",
    edits: [
      [
        `return { kind: "version", skillId, ...found, conflict };`,
        `return { kind: conflict ? "adopt" : "version", skillId, ...found, conflict } as ImportAction;`,
      ],
    ],
  },
  {
    name: "a directory that is deleted takes its skill with it",
    file: "src/sync/content/apply-import.ts",
    edits: [
      [
        `const candidates = findCandidates(planned, facts);`,
        `const candidates = findCandidates(planned, facts);
  for (const { skillId, path: place, strayPath } of facts.bases.values())
    if (!at.has(place) && !at.has(strayPath ?? "") && !actions.some((one) => "skillId" in one && one.skillId === skillId))
      await context.app.storage.database.collection("skills").updateOne({ _id: skillId }, { $set: { deletedAt: new Date() } });`,
      ],
    ],
  },
  {
    name: "the echo of a push is imported",
    file: "src/sync/content/plan-existing.ts",
    edits: [
      [`if (at >= 0) return`, `if (at > 1e9) return`],
      [
        `if (found.contentTree === platform || wasProposed(sides, skillId, found.contentTree))`,
        `if (wasProposed(sides, skillId, found.contentTree))`,
      ],
      [`if (contentTree === base.contentTree) return undefined;`, ``],
    ],
  },
  {
    name: "what a stopped sync has pushed is taken for an edit",
    shownBy: "test/sync-run/crash-recovery.test.ts",
    file: "src/sync/content/plan-existing.ts",
    edits: [[`if (at >= 0) return`, `if (at > 1e9) return`]],
  },
  {
    name: "a copy is the skill itself",
    shownBy: "test/sync-content/plan-import.test.ts",
    file: "src/sync/content/identity.ts",
    edits: [[`if (!alive.has(svcId) || assigned.has(svcId)) continue;`, `if (!alive.has(svcId)) continue;`]],
  },
  {
    name: "a branch that has moved is pushed over",
    shownBy: "test/mirror/known-host.test.ts",
    file: "repos/transport/send-pack.ts",
    edits: [
      [`if (now !== request.from) return { status: "stale" };`, ``],
      [
        `const result = await push(session, request, banded);`,
        `const result = await push(session, { ...request, from: now }, banded);`,
      ],
    ],
  },
  {
    name: "an import is not recorded",
    file: "src/sync/content/sync-bases.ts",
    edits: [
      [
        `const { skillId, path, contentTree, strayPath } = agreed;`,
        `const { skillId, path, contentTree, strayPath } = agreed;\n  if (skillId !== "") return;`,
      ],
    ],
  },
  {
    name: "a push is not recorded",
    shownBy: "test/sync-run/run-sync.test.ts",
    file: "src/sync/content/sync-bases.ts",
    edits: [[`steps.flatMap(({ after }) => (after ? [after] : []))`, `steps.flatMap(() => [])`]],
  },
  {
    name: "an edit that can't be read is overwritten",
    file: "src/sync/content/plan-export.ts",
    edits: [[`if (skipped.has(skill.id) || refused.has(skill.path) || (`, `if ((`]],
  },
  {
    name: "a conflict is not reported",
    file: "src/sync/content/import-directory.ts",
    edits: [
      [
        `  tally(context, "conflicts", folderId);\n`,
        `  tally(context, "conflicts", folderId);\n  if (context.counts.conflicts > 0) return;\n`,
      ],
    ],
  },
  {
    name: "a new skill is public",
    file: "src/skills/publish/import-skill.ts",
    edits: [[`visibility: "private",`, `visibility: "public",`]],
  },
  {
    name: "a full sync puts nothing back",
    shownBy: "test/sync-content/plan-export.test.ts",
    file: "src/sync/content/plan-export.ts",
    edits: [[`(!isNews && !full)`, `!isNews`]],
  },
  {
    name: "an import is decided on what was there before",
    shownBy: "test/sync-content/import.test.ts",
    file: "src/skills/publish/append-version.ts",
    edits: [[`if (imported && imported.expectedHead !== skill.head.version) throw staleHead(skill);`, ``]],
  },
];
