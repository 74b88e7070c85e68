/**
 * The rules of the sync, each broken by replacing one function of the source, which a test must detect
 * (`mutants.test.ts`): a check that no broken rule can fail proves nothing.
 */
export interface Mutant {
  name: string;
  /** Tests that must fail, if only a rare moment shows the broken rule. By default, the random scenarios. */
  shownBy?: string;
  changes: readonly FunctionChange[];
}

/**
 * A top-level function of a source file, and what is called in its place: a JavaScript function of it and its
 * arguments.
 */
export interface FunctionChange {
  /** From the root of the repository. */
  file: string;
  symbol: string;
  replacement: string;
}

const content = "src/sync/content";

export const mutants: readonly Mutant[] = [
  {
    name: "the platform wins a conflict",
    changes: [
      {
        file: `${content}/plan-existing.ts`,
        symbol: "planChange",
        replacement: `async (planChange, ...args) => {
          const action = await planChange(...args);
          return action.conflict ? { ...action, kind: "adopt" } : action;
        }`,
      },
    ],
  },
  {
    name: "a directory that is deleted takes its skill with it",
    changes: [
      {
        file: `${content}/import/apply-import.ts`,
        symbol: "applyImport",
        replacement: `async (applyImport, context, actions, facts) => {
          const present = new Set(facts.directories.map(({ path }) => path));
          const named = new Set(actions.map(({ skillId }) => skillId));
          const skills = context.app.storage.database.collection("skills");
          for (const { skillId, path, strayPath } of facts.bases.values())
            if (!present.has(path) && !present.has(strayPath) && !named.has(skillId))
              await skills.updateOne({ _id: skillId }, { $set: { deletedAt: new Date() } });
          return applyImport(context, actions, facts);
        }`,
      },
    ],
  },
  {
    name: "the echo of a push is imported",
    changes: [
      {
        file: `${content}/plan-existing.ts`,
        symbol: "planKnown",
        replacement: `async (planKnown, sides, directory, base) =>
          planKnown(sides, directory, { ...base, contentTree: "0".repeat(40) })`,
      },
      {
        file: `${content}/plan-existing.ts`,
        symbol: "planChange",
        replacement: `async (planChange, sides, found, base) => {
          const action = await planChange(sides, found, base);
          return action.kind === "version" ? action : { kind: "version", skillId: base.skillId, ...found, conflict: true };
        }`,
      },
    ],
  },
  {
    name: "a push of a stopped sync is mistaken for an edit",
    shownBy: "test/sync-run/crash-recovery.test.ts",
    changes: [{ file: `${content}/plan-existing.ts`, symbol: "positionOf", replacement: `() => -1` }],
  },
  {
    name: "a copy is the skill itself",
    shownBy: "test/sync-content/plan-import.test.ts",
    changes: [
      {
        file: `${content}/identity.ts`,
        symbol: "isUnassigned",
        replacement: `(isUnassigned, { alive }, skillId) => alive.has(skillId)`,
      },
    ],
  },
  {
    name: "a directory that was moved concurrently is a copy",
    shownBy: "test/sync-run/concurrent-moves.test.ts",
    changes: [
      {
        file: `${content}/import/concurrent-move.ts`,
        symbol: "isConcurrentMove",
        replacement: `() => false`,
      },
    ],
  },
  {
    name: "a directory without its .svc.json is no skill's",
    shownBy: "test/sync-run/lost-records.test.ts",
    changes: [
      {
        file: `${content}/identity.ts`,
        symbol: "contentConflict",
        replacement: `async () => ({ code: "identity_unclear", message: "" })`,
      },
    ],
  },
  {
    name: "a text becomes a version of the skill that it was moved over",
    shownBy: "test/sync-run/lost-records.test.ts",
    changes: [
      { file: `${content}/resemblance.ts`, symbol: "compareAll", replacement: `async () => new Map()` },
    ],
  },
  {
    name: "a branch that has moved is pushed over",
    shownBy: "test/mirror/known-host.test.ts",
    changes: [
      {
        file: "repos/transport/send-pack.ts",
        symbol: "sendPack",
        replacement: `async (sendPack, session, request, ...rest) => {
          const result = await sendPack(session, request, ...rest);
          if (result.status !== "stale") return result;
          const { refs } = await session.discover("git-receive-pack");
          return sendPack(session, { ...request, from: refs.get(request.ref) ?? null }, ...rest);
        }`,
      },
    ],
  },
  {
    name: "an import is not recorded",
    changes: [
      { file: `${content}/sync-bases.ts`, symbol: "recordAgreement", replacement: `async () => undefined` },
    ],
  },
  {
    name: "a push is not recorded",
    shownBy: "test/sync-run/run-sync.test.ts",
    changes: [
      {
        file: `${content}/sync-bases.ts`,
        symbol: "recordExports",
        replacement: `(recordExports, context, steps) =>
          recordExports(context, steps.filter(({ after }) => after === undefined))`,
      },
    ],
  },
  {
    name: "an edit that can't be read is overwritten",
    shownBy: "test/sync-content/plan-export.test.ts",
    changes: [{ file: `${content}/export/plan-export.ts`, symbol: "isHeldBack", replacement: `() => false` }],
  },
  {
    name: "a conflict is not reported",
    changes: [
      {
        file: `${content}/import/import-directory.ts`,
        symbol: "recordConflict",
        replacement: `async () => undefined`,
      },
    ],
  },
  {
    name: "a new skill is public",
    changes: [
      {
        file: "src/skills/publish/create-skill.ts",
        symbol: "createSkill",
        replacement: `(createSkill, app, actor, tenant, source, request) =>
          createSkill(app, actor, tenant, source, request.imported ? { ...request, visibility: "public" } : request)`,
      },
    ],
  },
  {
    name: "a full sync puts nothing back",
    shownBy: "test/sync-content/plan-export.test.ts",
    changes: [
      {
        file: `${content}/export/plan-export.ts`,
        symbol: "isDue",
        replacement: `(isDue, sides, ...rest) => isDue({ ...sides, full: false }, ...rest)`,
      },
    ],
  },
  {
    name: "an import is decided on an earlier version",
    shownBy: "test/sync-content/import.test.ts",
    changes: [
      {
        file: "src/skills/publish/append-version.ts",
        symbol: "requireExpectedHead",
        replacement: `() => undefined`,
      },
    ],
  },
];
