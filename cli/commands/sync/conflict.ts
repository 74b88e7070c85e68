/** A conflict in documents and texts. */
import type { SyncConflictPayload } from "../../../contract/payloads/sync-conflicts.ts";
import type { Organization } from "../../api/choose-organization.ts";
import type { Context } from "../../context.ts";
import { plainLine } from "../../terminal/table.ts";
import { minuteOf } from "./format.ts";

/** A conflict with the commands that compare its versions and bring the overwritten one back. */
export function presentConflict(conflict: SyncConflictPayload, organization: Organization) {
  const { id, skillId, slug, path, winning, losing, commit, author, at } = conflict;
  return {
    id,
    skillId,
    slug: slug || undefined,
    path,
    winning,
    losing,
    commit,
    author: author || undefined,
    at,
    remedies: slug ? remediesOf(`${organization.slug}/${slug}`, conflict) : [],
  };
}

export type PresentedConflict = ReturnType<typeof presentConflict>;

function remediesOf(skill: string, { winning, losing }: SyncConflictPayload) {
  return [
    {
      action: `compare version ${losing}, which was current here, with version ${winning} of the repository`,
      command: `svc diff ${skill} ${losing} ${winning}`,
    },
    {
      action: `make version ${losing} current again; the next sync writes it to the repository`,
      command: `svc revert ${skill} --to ${losing}`,
    },
    {
      action: "publish a version that combines both",
      command: `svc push <path> --skill ${skill}`,
    },
  ];
}

/** Each conflict as a paragraph. */
export function conflictLines({ output: { paint } }: Context, conflicts: readonly PresentedConflict[]) {
  return conflicts.flatMap(({ path, winning, losing, author, at, remedies }) => {
    const by = author === undefined ? "" : `, by ${plainLine(author)}`;
    return [
      `${paint("bold", plainLine(path))}  version ${winning} of the repository${by} replaced version ${losing} ` +
        paint("dim", minuteOf(at)),
      ...(remedies.length === 0 ? ["  The skill was deleted: there is nothing to do."] : []),
      ...remedies.map(
        ({ action, command }) => `  ${paint("cyan", plainLine(command))}  ${paint("dim", action)}`,
      ),
    ];
  });
}
