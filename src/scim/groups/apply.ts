/**
 * Makes a team and its members follow the document of a group. It reads the current document, so that it can be
 * repeated: after a crash the reconcile job does so.
 */
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { limits } from "../../../contract/limits.ts";
import { cutAtWord } from "../../../contract/text/cut-text.ts";
import { isDuplicate } from "../../../storage/database.ts";
import { outboxFields } from "../../../storage/outbox.ts";
import type { ScimGroupDoc } from "../../../storage/scim/groups.ts";
import { flushEvents } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { onMember } from "../../orgs/members/members.ts";
import { foldName, personName } from "../../users/schema.ts";
import { scimEvent, type ScimContext } from "../context.ts";
import { ScimError, uniqueness } from "../errors.ts";

/** The part of a context that events need; a job has no caller. */
export type EventContext = Pick<ScimContext, "app" | "tenant" | "ipHash">;

const memberConcurrency = 8;

/** The name of a group as that of a team. */
export function teamNameOf(displayName: string): string {
  return numberedName(displayName, 1);
}

/** From the second team on, whose groups have the same beginning, a name has a number. */
function numberedName(displayName: string, number: number): string {
  const suffix = number === 1 ? "" : ` (${number})`;
  const name = cutAtWord(displayName.normalize("NFC").trim(), limits.teamName - suffix.length).trim();
  return personName.parse(`${name}${suffix}`);
}

/**
 * A name for the team of a group that no other team has. Groups of different names may have the same beginning, which
 * is all that fits into the name of a team. Throws `uniqueness` for the full name of a team that SCIM does not manage.
 */
export async function freeTeamName(
  { app, tenant }: Pick<ScimContext, "app" | "tenant">,
  displayName: string,
  ownId?: string,
): Promise<string> {
  for (let number = 1; ; number++) {
    const name = numberedName(displayName, number);
    const team = await app.storage.teams.findByName(tenant._id, foldName(name));
    if (!team || team._id === ownId) return name;
    const isManaged = (await app.storage.scimGroups.findWithoutMembers(tenant._id, team._id)) !== null;
    const isWhole = foldName(name) === foldName(displayName.trim());
    if (number === 1 && isWhole && !isManaged) throw nameInUse(name);
  }
}

/**
 * Applies a group. `touched`: users who may differ; all members, if it is undefined. Of concurrent calls the slowest
 * may have applied an outdated document, so each repeats until its document is current.
 */
export async function applyGroup(
  context: EventContext,
  id: string,
  touched: ReadonlySet<string> | undefined,
): Promise<void> {
  const { scimGroups } = context.app.storage;
  for (;;) {
    const group = await scimGroups.findAny(id);
    if (!group) return;
    if (group.present && group.createsTeam) await createTeam(context, group);
    else if (group.present && group.renamesTeam) await renameTeam(context, group);
    await applyMembers(context, group, touched ?? (await everyoneOf(context, group)));
    if (group.present) {
      if (await scimGroups.clearPending(id, group.revision)) return;
    } else {
      if (!group.isMapped) await deleteTeam(context, group);
      return scimGroups.remove(id);
    }
  }
}

/** Members of the document, and users who have a copy of it. */
async function everyoneOf({ app }: EventContext, group: ScimGroupDoc): Promise<Set<string>> {
  const following = await app.storage.scimUsers.listIdsInGroup(group.tenantId, group._id);
  return new Set([...group.memberIds, ...following]);
}

async function createTeam(context: EventContext, group: ScimGroupDoc): Promise<void> {
  const { app, tenant } = context;
  for (;;) {
    const name = await nameOf(context, group);
    const event = scimEvent(context, "team.created", {
      resourceType: "team",
      resourceId: group._id,
      metadata: { name, roles: [] },
    });
    const now = app.now();
    try {
      await app.storage.teams.insert({
        _id: group._id,
        tenantId: tenant._id,
        name,
        nameKey: foldName(name),
        roleIds: [],
        revision: 0,
        active: true,
        createdBy: "scim",
        createdAt: now,
        updatedAt: now,
        ...outboxFields([event]),
      });
      flushEvents(app, app.storage.teams, group._id, [event]);
    } catch (error) {
      // A team with the name was created concurrently: the next round finds another name, or reports it.
      if (isDuplicate(error, "team_name")) continue;
      if (!isDuplicate(error, "_id_")) throw error;
    }
    await app.storage.scimGroups.noteTeam(group._id, group.revision);
    return;
  }
}

/** The name of the team that is to be created. A group without one does not stay. */
async function nameOf(context: EventContext, group: ScimGroupDoc): Promise<string> {
  try {
    return await freeTeamName(context, group.displayName, group._id);
  } catch (error) {
    if (error instanceof ScimError) await context.app.storage.scimGroups.remove(group._id);
    throw error;
  }
}

/** A team with the name that was created concurrently keeps it, and this team its previous one. */
async function renameTeam(context: EventContext, group: ScimGroupDoc): Promise<void> {
  const { app, tenant } = context;
  const { teams } = app.storage;
  for (;;) {
    const team = await teams.find(tenant._id, group._id);
    if (!team) break;
    const name = await freeTeamName(context, group.displayName, group._id).catch((error: unknown) => {
      if (error instanceof ScimError) return team.name;
      throw error;
    });
    if (team.name === name) break;
    const event = scimEvent(context, "team.updated", {
      resourceType: "team",
      resourceId: group._id,
      metadata: { name: team.name, changed: { name } },
    });
    try {
      const set = { name, nameKey: foldName(name) };
      const change = { revision: team.revision, set, now: app.now(), events: [event] };
      if (!(await teams.change(team._id, change))) continue;
    } catch (error) {
      if (isDuplicate(error, "team_name")) continue;
      throw error;
    }
    flushEvents(app, teams, team._id, [event]);
    break;
  }
  await app.storage.scimGroups.noteTeam(group._id, group.revision);
}

export function nameInUse(name: string) {
  return uniqueness(
    `There is a team "${name}" that SCIM does not manage. An owner can put it under SCIM, or give it another name.`,
  );
}

async function deleteTeam(context: EventContext, group: ScimGroupDoc): Promise<void> {
  const { app, tenant } = context;
  const event = scimEvent(context, "team.deleted", {
    resourceType: "team",
    resourceId: group._id,
    metadata: { name: teamNameOf(group.displayName) },
  });
  if (!(await app.storage.teams.markRemoved(group._id, app.now(), [event]))) return;
  flushEvents(app, app.storage.teams, group._id, [event]);
  app.background("clean up after a team", () =>
    app.queue.enqueue("orgs.team-deleted", { tenantId: tenant._id, teamId: group._id }, { jobId: group._id }),
  );
}

/** Copies the membership to the users, and to the memberships of those who have one. */
async function applyMembers(
  context: EventContext,
  group: ScimGroupDoc,
  touched: ReadonlySet<string>,
): Promise<void> {
  const { app, tenant } = context;
  const { scimUsers, memberships } = app.storage;
  const members = new Set(group.present ? group.memberIds : []);
  const ids = [...touched];
  const added = ids.filter((id) => members.has(id));
  const removed = ids.filter((id) => !members.has(id));
  await scimUsers.followGroup(tenant._id, group._id, added, removed, app.now());
  const users = await scimUsers.listByIds(tenant._id, ids);
  const linked = new Map(users.flatMap(({ _id, userId }) => (userId ? [[userId, _id]] : [])));
  const rows = await memberships.listByUserIds(tenant._id, [...linked.keys()]);
  const different = rows.filter(
    ({ userId, teamIds }) => teamIds.includes(group._id) !== members.has(linked.get(userId)!),
  );
  await mapLimit(different, memberConcurrency, ({ userId }) =>
    moveMember(context, group, userId, members.has(linked.get(userId)!)),
  );
}

async function moveMember(
  context: EventContext,
  group: ScimGroupDoc,
  userId: string,
  isAdded: boolean,
): Promise<void> {
  const { app, tenant } = context;
  try {
    await onMember(app, tenant._id, userId, async (member) => {
      if (member.teamIds.includes(group._id) === isAdded) return member;
      const event = scimEvent(context, isAdded ? "team.member_added" : "team.member_removed", {
        resourceType: "team",
        resourceId: group._id,
        metadata: { team: teamNameOf(group.displayName), userId, username: member.username },
      });
      const teams = { teamIds: group._id };
      const changed = await app.storage.memberships.change(member._id, {
        revision: member.revision,
        addToSet: isAdded ? teams : undefined,
        pull: isAdded ? undefined : teams,
        events: [event],
      });
      if (!changed) return undefined;
      flushEvents(app, app.storage.memberships, member._id, [event]);
      return changed;
    });
  } catch (error) {
    // The member left concurrently.
    if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
  }
}
