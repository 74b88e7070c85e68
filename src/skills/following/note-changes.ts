/**
 * Notes the changes of skills for the people who are shown them: followers of the skill or of a folder around it, its
 * creator, and members who have it installed. Every row may be written again, so that a projection or a sync that was
 * interrupted repeats the step.
 */
import type { FollowedKind, FollowReason } from "../../../contract/following.ts";
import { limits } from "../../../contract/limits.ts";
import type { EventName } from "../../../contract/vocabulary.ts";
import type { FollowedChangeDoc } from "../../../storage/following/changes.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SkillToProject } from "../../../storage/skills.ts";
import type { VersionDoc } from "../../../storage/versions.ts";
import type { App } from "../../app.ts";
import { loadTrees } from "../../folders/tree/trees.ts";
import { findVersion } from "../versions/versions.ts";
import { nextMailAt } from "./mail-time.ts";

/** Events of a skill that are changes for its followers. */
const kinds: Partial<Record<EventName, FollowedKind>> = {
  "skill.created": "created",
  "skill.created_via_import": "created",
  "skill.version_created": "version",
  "skill.version_imported": "version",
  "skill.version_reverted": "reverted",
  "skill.version_deprecated": "deprecated",
  "skill.version_yanked": "yanked",
};

type Change = Pick<FollowedChangeDoc, "kind" | "semver" | "findings" | "message" | "by" | "at"> & {
  /** Id of the event, of the version with its findings, or of the conflict. */
  id: string;
  /** The person who made it, who is not shown it. */
  userId?: string;
};

type Subject = Pick<SkillToProject, "_id" | "tenantId" | "folderId" | "createdBy">;

/** Notes the changes that the outboxes of skills report. */
export async function noteChanges(app: App, found: readonly SkillToProject[]): Promise<void> {
  const alive = found.filter(({ deletedAt, suspended }) => !deletedAt && !suspended);
  const changed = alive.flatMap((skill) => {
    const changes = (skill.outbox ?? []).flatMap((event) => changeOf(event, skill.pending));
    return changes.length > 0 ? [{ skill, changes }] : [];
  });
  if (changed.length === 0) return;
  const people = await recipientsOf(
    app,
    changed.map(({ skill }) => skill),
  );
  const rows = await Promise.all(
    changed
      .filter(({ skill }) => people.has(skill._id))
      .map(async ({ skill, changes }) => {
        const all = [...changes, ...(await newFindings(app, skill))];
        return rowsOf(skill, all, people.get(skill._id)!);
      }),
  );
  await record(app, rows.flat());
}

/** Notes a skill that had changed on both sides of a sync. `winning`: the version with the repository's content. */
export async function noteConflict(app: App, skillId: string, winning: number): Promise<void> {
  const skill = await app.storage.skills.find(skillId);
  const version = skill && (await findVersion(app, skill, winning));
  if (!version) return;
  const people = (await recipientsOf(app, [skill])).get(skillId) ?? new Map<string, FollowReason>();
  const change: Change = {
    id: `${version._id}.conflict`,
    kind: "conflict",
    semver: version.semver,
    by: "repository sync",
    at: version.createdAt,
  };
  await record(app, rowsOf(skill, [change], people));
}

function changeOf(event: EventRow, pending: readonly VersionDoc[]): Change[] {
  const kind = kinds[event.name];
  const { semver, to, message } = event.metadata;
  const of = semver ?? to;
  if (!kind || typeof of !== "string") return [];
  const own = pending.find((row) => row.semver === of)?.message;
  const text = typeof message === "string" ? message : own;
  return [
    {
      id: event._id,
      userId: event.userId,
      kind,
      semver: of,
      by: event.actor.name,
      at: event.createdAt,
      ...(text === undefined || isDefaultMessage(text, of) ? {} : { message: text }),
    },
  ];
}

const isDefaultMessage = (text: string, semver: string) =>
  text === "Initial version" || text === `Version ${semver}`;

/** Findings that no earlier version of the skill has. */
async function newFindings(app: App, skill: SkillToProject): Promise<Change[]> {
  const found = await Promise.all(
    skill.pending.map(async ({ _id, version, semver, findings, author, createdAt }): Promise<Change[]> => {
      if (!findings || findings.ids.length === 0) return [];
      const first = await app.storage.versions.findFirstWith(skill._id, version, findings.ids);
      const count = findings.ids.filter((id) => (first.get(id) ?? version) === version).length;
      if (count === 0) return [];
      const by = author?.username ?? "anonymous";
      const id = `${_id}.findings`;
      return [{ id, userId: author?.id, kind: "finding", semver, findings: count, by, at: createdAt }];
    }),
  );
  return found.flat();
}

type Recipients = Map<string, FollowReason>;

/** People who are shown the changes of each skill, with their strongest reason. */
async function recipientsOf(app: App, skills: readonly Subject[]): Promise<Map<string, Recipients>> {
  const tenantIds = [...new Set(skills.map(({ tenantId }) => tenantId))];
  const trees = await loadTrees(app, tenantIds);
  const targetsOf = ({ _id, tenantId, folderId }: Subject) => [
    _id,
    ...(folderId === null
      ? []
      : trees
          .get(tenantId)!
          .ancestry(folderId)
          .map((folder) => folder._id)),
  ];
  const ids = skills.map(({ _id }) => _id);
  const [installers, ...ofTenants] = await Promise.all([
    app.storage.installs.listPeople(ids, limits.followingInstallers * ids.length),
    ...tenantIds.map((tenantId) => {
      const ofTenant = skills.filter((skill) => skill.tenantId === tenantId);
      return followersIn(app, tenantId, ofTenant.flatMap(targetsOf), creatorsOf(ofTenant));
    }),
  ]);
  return new Map(
    skills.map((skill) => {
      const people: Recipients = new Map();
      const { followers, members } = ofTenants[tenantIds.indexOf(skill.tenantId)]!;
      for (const userId of installers.get(skill._id) ?? []) people.set(userId, "installed");
      if (members.has(skill.createdBy)) people.set(skill.createdBy, "own");
      for (const target of targetsOf(skill))
        for (const userId of followers.get(target) ?? []) people.set(userId, "followed");
      return [skill._id, people];
    }),
  );
}

const creatorsOf = (skills: readonly Subject[]) => [...new Set(skills.map(({ createdBy }) => createdBy))];

/** Followers by what they follow, and those of the creators who are still members. */
async function followersIn(
  app: App,
  tenantId: string,
  targets: readonly string[],
  creators: string[],
): Promise<{ followers: Map<string, string[]>; members: Set<string> }> {
  const [follows, memberships] = await Promise.all([
    app.storage.follows.listOfTargets(tenantId, [...new Set(targets)]),
    app.storage.memberships.listByUserIds(tenantId, creators),
  ]);
  const followers = new Map<string, string[]>();
  for (const { targetId, userId } of follows)
    followers.set(targetId, [...(followers.get(targetId) ?? []), userId]);
  return { followers, members: new Set(memberships.map(({ userId }) => userId)) };
}

function rowsOf(
  { _id: skillId, tenantId }: Subject,
  changes: readonly Change[],
  people: Recipients,
): FollowedChangeDoc[] {
  return changes.flatMap(({ id, userId: maker, ...change }) =>
    Array.from(people)
      .filter(([userId]) => userId !== maker)
      .map(([userId, reason]) => ({ _id: `${id}.${userId}`, userId, tenantId, skillId, reason, ...change })),
  );
}

/** Stores rows, with the time of the mails of those who get any. */
async function record(app: App, rows: FollowedChangeDoc[]): Promise<void> {
  if (rows.length === 0) return;
  const toMail = rows.filter(({ reason }) => reason === "followed").map(({ userId }) => userId);
  const settings = await app.storage.followSettings.listByIds([...new Set(toMail)]);
  const byId = new Map(settings.map((one) => [one._id, one]));
  const now = app.now();
  await app.storage.followedChanges.record(
    rows.map((row) => {
      const mailAt = row.reason === "followed" ? nextMailAt(byId.get(row.userId), now) : undefined;
      return mailAt ? { ...row, mailAt } : row;
    }),
  );
}
