/** Creation, change and deletion of groups. */
import { retryLost, type Retries } from "../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../contract/limits.ts";
import type { Patch } from "../../../storage/change.ts";
import { isDuplicate, isId } from "../../../storage/database.ts";
import type { ScimGroupDoc } from "../../../storage/scim/groups.ts";
import { ServiceError } from "../../errors.ts";
import { foldName } from "../../users/schema.ts";
import { requirePrecondition } from "../conditional.ts";
import type { ScimContext } from "../context.ts";
import { badInput, ScimError, uniqueness, unknownResource } from "../errors.ts";
import {
  patchGroup,
  readMembers,
  readText,
  type GroupAttributes,
  type PatchedGroup,
} from "../patch/group.ts";
import { readOperations } from "../patch/operations.ts";
import { removedMembers } from "../patch/removals.ts";
import { noteUnknown } from "../schema/paths.ts";
import { isObject, ownValue } from "../schema/values.ts";
import { applyGroup, freeTeamName } from "./apply.ts";

const retries: Retries = {
  attempts: 10,
  pauseMs: (attempt) => 5 * attempt,
  exhausted: () => new ServiceError("conflict", "This group is being changed concurrently: try again."),
};

/** Throws `uniqueness` if another group, or a team that SCIM does not manage, has the name. */
export async function createGroup(context: ScimContext, body: unknown): Promise<ScimGroupDoc> {
  const { app, tenant, logEntry } = context;
  const { displayName, externalId, members } = readGroup(body, logEntry.ignored);
  logEntry.subject = { name: displayName };
  await keepKnown(context, members, members);
  const { teams, scimGroups } = app.storage;
  await requireFreeName(context, displayName);
  if ((await teams.count(tenant._id)) >= limits.teamsPerOrganization)
    throw new ScimError(403, `An organization has at most ${limits.teamsPerOrganization} teams.`);
  const now = app.now();
  const group: ScimGroupDoc = {
    _id: app.newId(),
    tenantId: tenant._id,
    displayName,
    displayNameKey: foldName(displayName),
    externalId,
    memberIds: [...members],
    memberCount: members.size,
    createsTeam: true,
    revision: 1,
    present: true,
    pendingSince: now,
    createdAt: now,
    updatedAt: now,
  };
  try {
    await scimGroups.insert(group);
  } catch (error) {
    throw taken(error, group);
  }
  await applyGroup(context, group._id, members);
  logEntry.subject.id = group._id;
  logEntry.changes = ["team created", ...membersChange(members.size, 0)];
  return group;
}

/** Throws `uniqueness` if another group, or a team that SCIM does not manage, has the name. */
async function requireFreeName(context: ScimContext, displayName: string, ownId?: string): Promise<void> {
  const { app, tenant } = context;
  const others = { displayNameKey: foldName(displayName), _id: ownId ? { $ne: ownId } : undefined };
  if ((await app.storage.scimGroups.count(tenant._id, others)) > 0) throw groupTaken(displayName);
  await freeTeamName(context, displayName, ownId);
}

/** Replaces name, externalId and members. */
export function replaceGroup(context: ScimContext, id: string, body: unknown): Promise<ScimGroupDoc> {
  return changeGroup(context, id, body, ({ members }) => {
    const given = readGroup(body, context.logEntry.ignored);
    return { ...given, touched: new Set([...members, ...given.members]) };
  });
}

/** Applies the operations of a PATCH, all or none, except for members that it removes. */
export function updateGroup(context: ScimContext, id: string, body: unknown): Promise<ScimGroupDoc> {
  const { ignored } = context.logEntry;
  return changeGroup(context, id, body, (group) =>
    patchGroup(id, group, readOperations("Group", body, ignored), ignored),
  );
}

/** Members that the body removes lose the team even if the rest of it is refused. */
async function changeGroup(
  context: ScimContext,
  id: string,
  body: unknown,
  next: (given: GroupAttributes) => PatchedGroup,
): Promise<ScimGroupDoc> {
  return retryLost<ScimGroupDoc>(retries, async () => {
    const group = await loadGroup(context, id);
    requirePrecondition(context, group);
    const { displayName, externalId } = group;
    const given = { displayName, externalId, members: new Set(group.memberIds) };
    try {
      return await changeOnce(context, group, next(given));
    } catch (error) {
      if (!(error instanceof ScimError)) throw error;
      const touched = removedMembers(id, given, body);
      const members = new Set(group.memberIds.filter((member) => !touched.has(member)));
      if (touched.size === 0 || (await changeOnce(context, group, { ...given, members, touched })))
        throw error;
      return undefined;
    }
  });
}

/** Undefined if the group was changed concurrently. */
async function changeOnce(
  context: ScimContext,
  group: ScimGroupDoc,
  next: PatchedGroup,
): Promise<ScimGroupDoc | undefined> {
  const { app } = context;
  const previous = new Set(group.memberIds);
  await keepKnown(context, next.members, new Set([...next.members].filter((id) => !previous.has(id))));
  const added = [...next.members].filter((id) => !previous.has(id));
  const removed = group.memberIds.filter((id) => !next.members.has(id));
  const isRenamed = next.displayName !== group.displayName;
  const changes = [
    ...(isRenamed ? [`displayName: ${group.displayName} → ${next.displayName}`] : []),
    ...(next.externalId === group.externalId ? [] : ["externalId"]),
    ...membersChange(added.length, removed.length),
  ];
  // Members that a request names are applied even if the document has them: a person may have changed the team.
  if (changes.length === 0 && next.touched.size === 0) return group;
  if (isRenamed && !group.isMapped) await requireFreeName(context, next.displayName, group._id);
  let changed: ScimGroupDoc | null = group;
  if (changes.length > 0) {
    try {
      changed = await app.storage.scimGroups.change(
        group._id,
        group.revision,
        changeOf(group, next),
        app.now(),
      );
    } catch (error) {
      throw taken(error, next);
    }
  }
  if (!changed) return undefined;
  context.logEntry.changes = changes;
  await applyGroup(context, group._id, next.touched);
  return changed;
}

function changeOf(group: ScimGroupDoc, next: PatchedGroup): Patch<ScimGroupDoc> {
  const { displayName, externalId, members } = next;
  return {
    ...(displayName === group.displayName
      ? {}
      : {
          displayName,
          displayNameKey: foldName(displayName),
          renamesTeam: group.isMapped ? undefined : true,
        }),
    externalId: externalId === group.externalId ? undefined : (externalId ?? null),
    memberIds: [...members],
  };
}

/** Deletes a group and the team that SCIM created for it; a mapped team stays, without the members of the group. */
export async function deleteGroup(context: ScimContext, id: string): Promise<void> {
  const { app } = context;
  await retryLost(retries, async () => {
    const group = await loadGroup(context, id);
    requirePrecondition(context, group);
    if (!(await app.storage.scimGroups.markRemoved(id, group.revision, app.now()))) return false;
    await applyGroup(context, id, undefined);
    context.logEntry.changes = [group.isMapped ? "no longer managed by SCIM" : "team deleted"];
    return true;
  });
}

export async function loadGroup(context: ScimContext, id: string): Promise<ScimGroupDoc> {
  const { app, tenant, logEntry } = context;
  const group = isId(id) ? await app.storage.scimGroups.find(tenant._id, id) : null;
  if (!group) throw unknownResource("Group", id);
  logEntry.subject = { id, name: group.displayName };
  return group;
}

/**
 * Removes added ids of no user from the members: an identity provider may name a user who was deleted here, or a group
 * inside a group. Throws `tooMany`, and 403 for a user in too many teams.
 */
async function keepKnown(
  { app, tenant, logEntry }: ScimContext,
  members: Set<string>,
  added: ReadonlySet<string>,
): Promise<void> {
  if (members.size > limits.membersPerOrganization)
    throw badInput("tooMany", `A group has at most ${limits.membersPerOrganization} members.`);
  if (added.size === 0) return;
  const ids = [...added];
  const users = await app.storage.scimUsers.listByIds(tenant._id, ids.filter(isId));
  const known = new Set(users.map(({ _id }) => _id));
  for (const id of ids) {
    if (known.has(id)) continue;
    members.delete(id);
    logEntry.ignored.add(`member ${id}`);
  }
  const full = users.find(({ teamIds }) => teamIds.length >= limits.teamsPerMember);
  if (full)
    throw new ScimError(403, `"${full.userName}" is in ${limits.teamsPerMember} groups, which is the limit.`);
}

function readGroup(body: unknown, ignored: Set<string>): GroupAttributes {
  if (!isObject(body)) throw badInput("invalidSyntax", "The body must be a JSON object.");
  noteUnknown("Group", body, ignored);
  const valueOf = (name: string) => ownValue(body, name) ?? undefined;
  const externalId = valueOf("externalId");
  return {
    displayName: readText("displayName", valueOf("displayName")).trim(),
    externalId: externalId === undefined ? undefined : readText("externalId", externalId),
    members: new Set(readMembers(valueOf("members"))),
  };
}

function membersChange(added: number, removed: number): string[] {
  if (added === 0 && removed === 0) return [];
  return [`members: +${added} −${removed}`];
}

const groupTaken = (displayName: string) => uniqueness(`There is a group "${displayName}" already.`);

function taken(error: unknown, { displayName }: { displayName: string }): unknown {
  return isDuplicate(error, "scim_group_name") ? groupTaken(displayName) : error;
}
