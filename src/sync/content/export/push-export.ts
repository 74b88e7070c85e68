/**
 * Pushes an export to the connected branch. A merge base is written once its directory is in the branch; an
 * interruption before that leaves content that the next sync recognizes as exported.
 */
import { tally, type SyncContext } from "../context.ts";
import { recordExports } from "../sync-bases.ts";
import type { ExportFacts } from "./export-edits.ts";
import { isPush, type SkillExport } from "./plan-export.ts";
import { bytesOf, pushBatches } from "./push-batches.ts";

/** Returns the commit of the branch, or `stale` if someone else has pushed. Batches pushed before that stay. */
export async function pushExports(
  context: SyncContext,
  steps: readonly SkillExport[],
  facts: ExportFacts,
): Promise<{ commit: string | null } | "stale"> {
  await recordExports(
    context,
    steps.filter((step) => !isPush(step)),
  );
  let tip = facts.parent;
  const { branch } = context.connection;
  const result = await pushBatches(
    context,
    steps.filter((step) => isPush(step)),
    facts,
    {
      branch,
      hint: "allow them, connect another branch, or have them proposed as pull requests (mode pull_request)",
      generatedWithEach: false,
      next: () => ({ parent: tip }),
      bytesOf: (step) => bytesOf(step, facts),
      announce: async () => undefined,
      async arrived(batch, { prepared }) {
        tip = prepared?.commit ?? tip;
        await recordExports(context, batch);
        for (const { put, remove, skillId } of batch) {
          const folderId = facts.skills.get(skillId)?.folderId;
          if (put) tally(context, "exported", folderId);
          else if (remove.length > 0) tally(context, "removed", folderId);
        }
      },
    },
  );
  return result === "stale" ? "stale" : { commit: tip };
}
