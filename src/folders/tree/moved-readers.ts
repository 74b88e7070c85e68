/** Members who can read a folder or skill before and after a move, for the plan of the move. */
import type { MovedReadersPayload } from "../../../contract/payloads/skills/exposure.ts";
import type { MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { Actor } from "../../access/actor.ts";
import { decideTenant } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { accessOf } from "../access/effective.ts";
import type { AccessTarget } from "../access/token-access.ts";
import type { FolderTree } from "./tree.ts";

const atOnce = 1000;
const named = 20;

/** A folder that is to be moved to another parent. The parts in it that are restricted keep their readers. */
export interface PlannedMove {
  tree: FolderTree;
  folderId: string;
  parentId: string | null;
}

/** The caller has been authorized to make the move. */
export async function countMovedReaders(
  app: App,
  actor: Actor,
  { tree, folderId, parentId }: PlannedMove,
): Promise<MovedReadersPayload> {
  const { tenantId } = tree;
  // A restricted folder takes its own restriction along.
  const toId = tree.get(folderId)?.restricted ? folderId : parentId;
  const showsNames = decideTenant(actor, "member:read", tenantId) === "allowed";
  return countReaders(app, actor, [targetIn(tree, folderId), targetIn(tree, toId)], showsNames);
}

/** The readers before and after a change of the target, both in one organization. */
export async function countReaders(
  app: App,
  actor: Actor,
  [from, to]: readonly [AccessTarget, AccessTarget],
  showsNames: boolean,
): Promise<MovedReadersPayload> {
  const counts = { before: 0, after: 0, gain: 0, lose: 0 };
  const names = { gaining: [] as Named[], losing: [] as Named[] };
  const note = (list: Named[], { userId, username }: MembershipDoc) => {
    if (list.length < named) list.push({ id: userId, name: username });
  };
  for await (const rows of eachSlice(app, from.tree.tenantId)) {
    const [before, after] = await Promise.all([
      readersAmong(app, actor, rows, from),
      readersAmong(app, actor, rows, to),
    ]);
    counts.before += before.size;
    counts.after += after.size;
    for (const row of rows) {
      const [could, can] = [before.has(row.userId), after.has(row.userId)];
      if (can && !could) {
        counts.gain++;
        note(names.gaining, row);
      }
      if (could && !can) {
        counts.lose++;
        note(names.losing, row);
      }
    }
  }
  return { ...counts, ...(showsNames ? names : {}) };
}

type Named = { id: string; name: string };

function targetIn(tree: FolderTree, folderId: string | null): AccessTarget {
  const { tenantId } = tree;
  return { tree, folderId, subject: (context) => ({ tenantId, visibility: "private", context }) };
}

async function* eachSlice(app: App, tenantId: string): AsyncGenerator<MembershipDoc[]> {
  let after: { username: string; id: string } | undefined;
  for (;;) {
    const rows = await app.storage.memberships.list({ tenantId, after, limit: atOnce });
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < atOnce) return;
    after = { username: last.username, id: last._id };
  }
}

async function readersAmong(
  app: App,
  actor: Actor,
  rows: readonly MembershipDoc[],
  target: AccessTarget,
): Promise<Set<string>> {
  const access = await accessOf(app, actor, rows, target);
  return new Set(access.filter(({ can }) => can.includes("read")).map(({ principal }) => principal.id));
}
