/**
 * Notes the changes of skills for the people who are shown them: followers of the skill or of a folder around it, its
 * creator, and members who have it installed; members of its owner team are shown what is found in it. Every row may be
 * written again, so that a projection or a sync that was interrupted repeats the step.
 */
import { isDeepStrictEqual } from "node:util";
import type { FollowedKind, FollowReason } from "../../../contract/events/following.ts";
import { limits } from "../../../contract/limits.ts";
import type { FlaggedVerdict } from "../../../contract/scan/policy.ts";
import type { EventName, ReportReason } from "../../../contract/vocabulary.ts";
import type { FollowedChangeDoc } from "../../../storage/following/changes.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SkillDoc, SkillToProject } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { loadTrees } from "../../folders/tree/trees.ts";
import { listNewFindings } from "../findings/new-findings.ts";
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
  "skill.version_released": "version",
  "skill.version_held": "withdrawn",
  "skill.version_rejected": "withdrawn",
  "skill.deprecated": "discontinued",
};

/** Number of people with mails about reviews that are looked up at a time. */
const reviewerBatch = 1000;

/**
 * Kinds that members of the owner team are shown, of which all but the first are shown to them only, and `review` to
 * reviewers who ask for mails.
 */
const kindsForTeams: readonly FollowedKind[] = ["finding", "flagged", "review", "reported"];
const isForTeamsOnly = (kind: FollowedKind) => kind !== "finding" && kindsForTeams.includes(kind);

type Change = Pick<FollowedChangeDoc, "kind" | "semver" | "findings" | "message" | "by" | "at"> & {
  /** Id of the event, of the version with its findings, or of the conflict. */
  id: string;
  /** The person who made it, who is not shown it. */
  userId?: string;
};

type Subject = Pick<SkillToProject, "_id" | "tenantId" | "folderId" | "createdBy" | "ownerTeamId">;

/** Notes the changes that the outboxes of skills report. */
export async function noteChanges(app: App, found: readonly SkillToProject[]): Promise<void> {
  const alive = found.filter(({ deletedAt, suspended }) => !deletedAt && !suspended);
  const changed = alive.flatMap((skill) => {
    const changes = (skill.outbox ?? []).flatMap((event) => [
      ...changeOf(event, skill.pending),
      ...reviewOf(event),
    ]);
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
        const [owners, reviewers] = await Promise.all([
          ownersOf(app, skill, all),
          reviewersOf(app, skill, all),
        ]);
        return rowsOf(skill, all, people.get(skill._id)!, { owners, reviewers });
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

/** Notes for the owner team that a scan flagged a version. May run twice. */
export async function noteFlagged(
  app: App,
  skill: Subject,
  { _id, semver }: Pick<VersionDoc, "_id" | "semver">,
  verdict: FlaggedVerdict,
): Promise<void> {
  await noteForTeam(app, skill, {
    id: `${_id}.scan.${verdict}`,
    kind: "flagged",
    semver,
    message: verdict,
    by: "scan",
    at: app.now(),
  });
}

/** Notes for the owner team that the current version was reported, once for each reason, and not by whom. */
export async function noteReport(
  app: App,
  skill: Subject & Pick<SkillDoc, "current">,
  reason: ReportReason,
): Promise<void> {
  const { versionId, semver } = skill.current;
  await noteForTeam(app, skill, {
    id: `${versionId}.report.${reason}`,
    kind: "reported",
    semver,
    message: reason,
    by: "a report",
    at: app.now(),
  });
}

async function noteForTeam(app: App, skill: Subject, change: Change): Promise<void> {
  const owners = await ownersOf(app, skill, [change]);
  await record(app, rowsOf(skill, [change], new Map(), { owners }));
}

/** A version that is held from the start for a review, and for nothing else yet. */
function reviewOf({ _id: id, name, userId, actor, metadata, createdAt: at }: EventRow): Change[] {
  const { semver, reasons, unseen } = metadata;
  const waits = name === "skill.version_held" && unseen === true && isDeepStrictEqual(reasons, ["review"]);
  if (!waits || typeof semver !== "string") return [];
  return [{ id: `${id}.review`, userId, kind: "review", semver, by: actor.name, at }];
}

/** Members of the owner team of a skill, if any of the changes is for them. */
async function ownersOf(app: App, skill: Subject, changes: readonly Change[]): Promise<string[]> {
  const { ownerTeamId: teamId, tenantId } = skill;
  if (teamId === undefined || !changes.some(({ kind }) => kindsForTeams.includes(kind))) return [];
  const [team, members] = await Promise.all([
    app.storage.teams.find(tenantId, teamId),
    app.storage.memberships.list({ tenantId, teamId, limit: limits.followingTeam }),
  ]);
  return team ? members.map(({ userId }) => userId) : [];
}

/** Members with mails about reviews, if any of the changes is one. Those who may not decide are not shown the row. */
async function reviewersOf(app: App, { tenantId }: Subject, changes: readonly Change[]): Promise<string[]> {
  if (!changes.some(({ kind }) => kind === "review")) return [];
  const found: string[] = [];
  for (let after: string | undefined; ;) {
    const ids = await app.storage.followSettings.listReviewers(after, reviewerBatch);
    const members = await app.storage.memberships.listByUserIds(tenantId, ids);
    found.push(...members.map(({ userId }) => userId));
    if (ids.length < reviewerBatch) return found;
    after = ids.at(-1);
  }
}

function changeOf(event: EventRow, pending: readonly VersionDoc[]): Change[] {
  const kind = kinds[event.name];
  const { semver, to, message, unseen } = event.metadata;
  const of = semver ?? to;
  // A version that was held from the start is a change for followers once it is released.
  if (!kind || typeof of !== "string" || unseen) return [];
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
  const found = await listNewFindings(app, skill);
  return found.map(({ version: { _id, semver, author, createdAt }, count }) => ({
    id: `${_id}.findings`,
    userId: author?.id,
    kind: "finding",
    semver,
    findings: count,
    by: author?.username ?? "anonymous",
    at: createdAt,
  }));
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
  { owners = [], reviewers = [] }: { owners?: readonly string[]; reviewers?: readonly string[] } = {},
): FollowedChangeDoc[] {
  const withOwners = new Map(people);
  for (const userId of owners) if (people.get(userId) !== "followed") withOwners.set(userId, "team");
  const recipientsFor = (kind: FollowedKind) => {
    if (isForTeamsOnly(kind)) {
      const told = new Map<string, FollowReason>(owners.map((userId) => [userId, "team"]));
      if (kind === "review") for (const userId of reviewers) told.set(userId, "reviewer");
      return Array.from(told);
    }
    return Array.from(kindsForTeams.includes(kind) ? withOwners : people);
  };
  return changes.flatMap(({ id, userId: maker, ...change }) =>
    recipientsFor(change.kind)
      .filter(([userId]) => userId !== maker)
      .map(([userId, reason]) => ({ _id: `${id}.${userId}`, userId, tenantId, skillId, reason, ...change })),
  );
}

const mailedReasons: readonly FollowReason[] = ["followed", "team", "reviewer"];
const isMailed = ({ reason }: FollowedChangeDoc) => mailedReasons.includes(reason);

/** Stores rows, with the time of the mails of those who get any. */
async function record(app: App, rows: FollowedChangeDoc[]): Promise<void> {
  if (rows.length === 0) return;
  const toMail = rows.filter(isMailed).map(({ userId }) => userId);
  const settings = await app.storage.followSettings.listByIds([...new Set(toMail)]);
  const byId = new Map(settings.map((one) => [one._id, one]));
  const now = app.now();
  await app.storage.followedChanges.record(
    rows.map((row) => {
      const mailAt = isMailed(row) ? nextMailAt(byId.get(row.userId), now, row.reason) : undefined;
      return mailAt ? { ...row, mailAt } : row;
    }),
  );
}
