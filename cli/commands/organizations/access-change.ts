/** A change of a folder's restriction and grants: the plan, the confirmation, the write. */
import type { FolderPayload } from "../../../contract/payloads/organizations/folders.ts";
import { countText } from "../../../contract/text/count-text.ts";
import type { AccessCalls, AccessInput } from "../../api/calls/access.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { type AccessChanges, changesIn, changesText, confirmChanges } from "./access-plan.ts";

export interface PlannedChange {
  input: AccessInput;
  /** The state that the plan is for: a concurrent change is refused by the service. */
  revision: number;
  isDryRun: boolean;
  isConfirmed: boolean;
  subject: string;
}

/** Plans the change, asks before anyone loses access or a restriction ends, and makes the change. */
export async function applyAccess(
  context: Context,
  calls: AccessCalls,
  folder: FolderPayload,
  { input, revision, isDryRun, isConfirmed, subject }: PlannedChange,
) {
  const { changes, warnings } = await planChanges(calls, folder.id, input);
  const tried = await calls.changeAccess(folder.id, { ...input, revision, dryRun: true });
  const others = input.restricted ? [] : wideningText(tried.exposure);
  const isRisky = changes.lost.length + others.length + warnings.length > 0;
  if (!isDryRun && isRisky && !isConfirmed)
    await confirmChanges(context, changes, { subject, others: [...warnings, ...others] });
  if (!isDryRun) await calls.changeAccess(folder.id, { ...input, revision });
  return {
    data: {
      folder: { id: folder.id, path: folder.path, restricted: input.restricted },
      ...changes,
      dryRun: isDryRun,
      warnings,
    },
    lines: [
      ...(isDryRun ? others : []),
      ...(warnings.length > 0 ? warnings : changesText(context, changes, isDryRun ? "will" : "did")),
    ],
  };
}

/** A manager of an inner folder may end its restriction, and not see who has access by the restriction around it. */
async function planChanges(
  calls: AccessCalls,
  folderId: string,
  input: AccessInput,
): Promise<{ changes: AccessChanges; warnings: string[] }> {
  try {
    return { changes: changesIn(await calls.planAccess(folderId, input)), warnings: [] };
  } catch (error) {
    if (input.restricted || !(error instanceof CliError) || error.code !== "E_FORBIDDEN") throw error;
    const warnings = [`Who gains and loses access is unknown: ${error.message}`];
    return { changes: { gained: [], lost: [] }, warnings };
  }
}

/** The readers outside the organization, and all members, that the end of a restriction adds. */
function wideningText(exposure: {
  widened: boolean;
  skills?: { public: number; unlisted: number };
  mcpServers?: number;
}): string[] {
  if (!exposure.widened) return [];
  const { public: open = 0, unlisted = 0 } = exposure.skills ?? {};
  const skills = (count: number) => countText(count, "skill becomes", "skills become");
  return [
    "More people would be able to read the skills in it.",
    ...(open === 0 ? [] : [`${skills(open)} public, for everyone on the internet.`]),
    ...(unlisted === 0 ? [] : [`${skills(unlisted)} readable for everyone with the link.`]),
    ...(exposure.mcpServers
      ? [
          `${countText(exposure.mcpServers, "MCP server becomes", "MCP servers become")} public in the registry.`,
        ]
      : []),
  ];
}
