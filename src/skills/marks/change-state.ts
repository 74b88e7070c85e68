/**
 * Transitions between the states of a version. Each is one write to the skill's document, which also moves `current` to
 * the version that installs then resolve to, and contains the audit events.
 */
import { isDeepStrictEqual } from "node:util";
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../contract/limits.ts";
import type { SkillReachPayload } from "../../../contract/payloads/skills/reach.ts";
import { listText } from "../../../contract/text/list-text.ts";
import type { EventName } from "../../../contract/vocabulary.ts";
import type { Patch } from "../../../storage/change.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SkillDoc, VersionMark } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { annotateSkill, makeSkillEvent } from "../annotate.ts";
import { channelsAt, withoutChannels } from "../channels/channels.ts";
import { isInCatalog, loadSkill, type SeenSkill } from "../load.ts";
import { excerptOf } from "../publish/content/text-source.ts";
import { summaryOf } from "../publish/version-record.ts";
import { reachOf } from "../reach/reach.ts";
import { readContent } from "../read/content.ts";
import { skillRetries } from "../skill-retries.ts";
import { readVersionRef, selectVersion } from "../versions/select-version.ts";
import { exceeds, isPrerelease } from "../versions/semver.ts";
import { findVersion, listSemvers } from "../versions/versions.ts";
import { changeMarks, choiceOf, currentOf, markOf, stateOf, type MarkChange } from "./marks.ts";

export interface Transition {
  /** Reads the skill and decides about access, again after each lost race. */
  load: () => Promise<SeenSkill>;
  /** The change of the version as it is now; throws if it is not possible. Undefined changes nothing. */
  change: (
    version: VersionDoc,
    mark: VersionMark | undefined,
    skill: SeenSkill,
  ) => MarkChange | undefined | Promise<MarkChange | undefined>;
  /** Further events of the same write, which are about the version. */
  events?: (version: VersionDoc) => { name: EventName; metadata: Record<string, unknown> }[];
  /** Whether a yank deletes the channels that point to the version. Otherwise, they prevent it. */
  deletesChannels?: boolean;
}

export interface Changed {
  skill: SkillDoc;
  version: VersionDoc;
}

type PublisherChange = Pick<MarkChange, "deprecated" | "yanked" | "reason"> & { force?: boolean };

/**
 * Deprecates or yanks a version, or undoes that. Throws `refused` for one that is held or rejected, and for a yank of
 * one to which channels point, unless `force` is set.
 */
export function markVersion(
  app: App,
  actor: Actor,
  ref: string,
  wanted: string,
  { force, ...change }: PublisherChange,
): Promise<Changed> {
  return changeState(app, actor, ref, wanted, {
    deletesChannels: force,
    load: () => loadSkill(app, actor, ref, "skill:update"),
    change(version, mark) {
      refuseHidden(ref, version, mark);
      return change;
    },
  });
}

/** The version after `markVersion`, which is not made, and who gets it; for a yank, who gets it before. */
export async function planMark(
  app: App,
  actor: Actor,
  ref: string,
  wanted: string,
  { force, ...change }: PublisherChange,
): Promise<Changed & { reach: SkillReachPayload }> {
  const skill = await loadSkill(app, actor, ref, "skill:update");
  const version = await selectVersion(app, skill, readVersionRef(wanted));
  refuseHidden(ref, version, markOf(skill, version.version));
  const marks = changeMarks(skill, version, change);
  requireRoom(skill, marks);
  cutChannels(skill, version, marks, force);
  const { version: number, semver } = version;
  const after = { ...skill, marks };
  if (change.yanked !== false)
    return { skill: after, version, reach: await reachOf(app, skill, { version: number, semver }) };
  const fields = await fieldsAfter(app, skill, version, marks);
  const current = fields.current ?? skill.current;
  const isChosen = current.version === number;
  return { skill: after, version, reach: await reachOf(app, after, { version: number, semver, isChosen }) };
}

function refuseHidden(ref: string, { semver }: VersionDoc, mark: VersionMark | undefined): void {
  const hidden = mark?.held ? "held" : mark?.rejected === undefined ? undefined : "rejected";
  if (hidden)
    throw new ServiceError(
      "refused",
      `${semver} is ${hidden}, so it can't be deprecated or yanked. ` +
        (mark?.held ? "Release or reject it first." : "A rejection is final."),
      { kind: "skill", ref },
    );
}

/** Changes the state of a version. Throws `limit_reached` for a skill with too many versions in such states. */
export async function changeState(
  app: App,
  actor: Actor | "service",
  ref: string,
  wanted: string,
  { load, change, events: further, deletesChannels }: Transition,
): Promise<Changed> {
  const selector = readVersionRef(wanted);
  return retryLost(skillRetries(ref), async () => {
    const skill = await load();
    const version = await selectVersion(app, skill, selector);
    const wantedChange = await change(version, markOf(skill, version.version), skill);
    if (!wantedChange) return { skill, version };
    const marks = changeMarks(skill, version, wantedChange);
    const events = [
      ...(further?.(version) ?? []).map(({ name, metadata }) =>
        makeSkillEvent(app, actor, name, skill, { semver: version.semver, ...metadata }),
      ),
      ...eventsOf(app, actor, skill, version, marks, wantedChange.rejected),
    ];
    if (events.length === 0 && isDeepStrictEqual(marks, skill.marks ?? [])) return { skill, version };
    if (actor !== "service") requireRoom(skill, marks);
    const cut = cutChannels(skill, version, marks, deletesChannels);
    for (const channel of cut)
      events.push(
        makeSkillEvent(app, actor, "skill.channel_updated", skill, {
          change: "deleted",
          channel,
          from: version.semver,
        }),
      );
    const fields = await fieldsAfter(app, skill, version, marks);
    if (cut.length > 0) fields.channels = withoutChannels(skill, cut);
    if (fields.current && fields.current.version !== skill.current.version)
      events.push(
        makeSkillEvent(app, actor, "skill.version_reverted", skill, {
          from: skill.current.semver,
          to: fields.current.semver,
        }),
      );
    const updated = await annotateSkill(app, skill, fields, events);
    return updated && { skill: updated, version };
  });
}

/**
 * The channels that a change of a version's state deletes. Throws `refused` if they prevent it. Those of a held version
 * stay, and have no version until it is released.
 */
function cutChannels(
  skill: SkillDoc,
  { version, semver }: VersionDoc,
  marks: readonly VersionMark[],
  deletes = false,
): string[] {
  const names = channelsAt(skill, version) ?? [];
  const state = stateOf({ marks: [...marks] }, version);
  if (state === "rejected" || (state === "yanked" && deletes)) return names;
  if (state !== "yanked" || names.length === 0) return [];
  const [channels, them] = names.length === 1 ? ["The channel", "it"] : ["The channels", "them"];
  throw new ServiceError(
    "refused",
    `${channels} ${listText(names)} of "${skill.slug}" ${names.length === 1 ? "points" : "point"} to ${semver}: ` +
      `move ${them} to another version, or delete ${them}, which force does.`,
    { kind: "skill", ref: skill.slug, channels: names },
  );
}

/**
 * Throws `limit_reached` if people would mark more versions of a skill than its document should hold. Only marks that
 * people can remove count, and marks of the service are not checked: a publisher must not be able to prevent a hold.
 */
export function requireRoom(
  { slug, marks: before = [] }: Pick<SkillDoc, "slug" | "marks">,
  marks: readonly VersionMark[],
): void {
  const [past, present] = [before, marks].map((list) => list.filter(isDecidable).length) as [number, number];
  if (present <= past || present <= limits.markedVersions) return;
  throw new ServiceError(
    "limit_reached",
    `"${slug}" has ${limits.markedVersions} versions that are deprecated, yanked or held: ` +
      "undo or decide about one of them first.",
    { kind: "skill", ref: slug },
  );
}

const isDecidable = ({ deprecated, yanked, held, rejected }: VersionMark) =>
  rejected === undefined && (deprecated !== undefined || yanked || held !== undefined);

/** Throws `limit_reached` for a skill whose document holds as many marks as it should. */
export function requireRoomForVersion({ slug, marks = [] }: Pick<SkillDoc, "slug" | "marks">): void {
  if (marks.length < limits.markedVersionsInAll) return;
  throw new ServiceError(
    "limit_reached",
    `${limits.markedVersionsInAll} versions of "${slug}" are withdrawn, deprecated or flagged by their scan, ` +
      "which is the limit: publish further ones as another skill.",
    { kind: "skill", ref: slug },
  );
}

/** The skill's fields after a change of the marks of one version. */
async function fieldsAfter(
  app: App,
  skill: SkillDoc,
  changed: VersionDoc,
  marks: VersionMark[],
): Promise<Patch<SkillDoc>> {
  const versions = await listSemvers(app, skill);
  const [before, after] = [markOf(skill, changed.version), markOf({ marks }, changed.version)];
  const isReleased = before?.held !== undefined && !after?.held && after?.rejected === undefined;
  const becomesCurrent =
    isReleased &&
    !skill.withheld &&
    !isPrerelease(changed.semver) &&
    exceeds(changed.semver, skill.current.semver);
  const choice = becomesCurrent
    ? { semver: changed.semver, head: skill.head.version }
    : choiceOf(skill, versions);
  const next = currentOf({ marks, choice }, versions);
  const isWaiting = marks.some(({ held }) => held !== undefined);
  const waitingSince = isWaiting ? (skill.waitingSince ?? app.now()) : null;
  const fields: Patch<SkillDoc> = { marks, choice, waitingSince };
  if (!next) {
    const withheld = skill.withheld ?? "withdrawn";
    // The text of a version that is hidden now must not be found by a search.
    return { ...fields, withheld, listed: false, excerpt: "" };
  }
  if (next.version === skill.current.version && !skill.withheld) return fields;
  const row = next.version === changed.version ? changed : await findVersion(app, skill, next.version);
  if (!row) throw new Error(`version ${next.version} of skill ${skill._id} has no row`);
  return {
    ...fields,
    ...(isReleased && row === changed ? before.fields : undefined),
    current: summaryOf(row),
    excerpt: excerptOf(await readContent(app, skill, row)),
    updatedAt: app.now(),
    withheld: null,
    listed: isInCatalog({ ...skill, withheld: undefined }),
  };
}

function eventsOf(
  app: App,
  actor: Actor | "service",
  skill: SkillDoc,
  { _id: versionId, version, semver }: VersionDoc,
  marks: VersionMark[],
  rejection?: string,
): EventRow[] {
  const [before, after] = [markOf(skill, version), markOf({ marks }, version)];
  const event = (name: EventName, metadata: object = {}) =>
    makeSkillEvent(app, actor, name, skill, { semver, ...metadata });
  const events: EventRow[] = [];
  if (before?.deprecated !== after?.deprecated)
    events.push(
      after?.deprecated === undefined
        ? event("skill.version_undeprecated")
        : event("skill.version_deprecated", { message: after.deprecated }),
    );
  if (before?.yanked !== after?.yanked || before?.reason !== after?.reason)
    events.push(
      after?.yanked
        ? event("skill.version_yanked", { reason: after.reason })
        : event("skill.version_unyanked"),
    );
  if (after?.rejected !== undefined && before?.rejected === undefined)
    events.push(
      event("skill.version_rejected", { reason: rejection, versionId, unseen: before?.held && true }),
    );
  else if (before?.held && !after?.held) events.push(event("skill.version_released"));
  else if (after?.held && !isDeepStrictEqual(before?.held, after.held))
    events.push(event("skill.version_held", { reasons: after.held, unseen: before?.held && true }));
  return events;
}
