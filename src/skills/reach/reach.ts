/**
 * Who gets a version of a skill ("reach"): installs of members, counted by what their pins do towards the version.
 * Requires `skill: update` or `skill: review`, and for exact numbers and names `analytics: read`.
 */
import { setImmediate } from "node:timers/promises";
import { SemVer } from "semver";
import {
  pinClasses,
  type InstalledCounts,
  type PinClass,
  type ReachedInstallPayload,
  type SkillReachPayload,
} from "../../../contract/payloads/skills/reach.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { keepMembers, pageOfInstalls } from "../../analytics/install-lists.ts";
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import type { Page } from "../../http/route.ts";
import { channelsAt } from "../channels/channels.ts";
import { loadSkill, type SeenSkill } from "../load.ts";
import { stateOf, withoutWithdrawn } from "../marks/marks.ts";
import { selectVersion } from "../versions/select-version.ts";
import { exceeds, isPrerelease, readSelector } from "../versions/semver.ts";
import { listSemvers } from "../versions/versions.ts";
import { countGroups, type CompactInstalls } from "./count-installs.ts";
import { classOf, seenFrom, type ReachedVersion } from "./pins.ts";
import { maxInstalls, readInstalls } from "./read-installs.ts";

/** Numbers are rounded up to a multiple of it for callers without `analytics: read`. */
const roundedTo = 5;

/** A version, or one that is about to be published and has no number. */
interface Wanted {
  version?: number;
  semver: string;
  /** It becomes the version that installs resolve to. */
  isChosen?: boolean;
  /** The channel that is about to point to it. */
  channel?: string;
}

/** The reach of the version that a pin selects. */
export async function readReach(
  app: App,
  actor: Actor,
  ref: string,
  spec: string | undefined,
): Promise<SkillReachPayload> {
  const skill = await loadReached(app, actor, ref);
  return reachOf(app, skill, await selectVersion(app, skill, readSelector(spec)));
}

async function loadReached(app: App, actor: Actor, ref: string): Promise<SeenSkill> {
  const skill = await loadSkill(app, actor, ref, "skill:read");
  if (mayReadReach(skill)) return skill;
  throw forbidden(`The reach of "${skill.slug}" needs skill: update, skill: review or analytics: read.`, {
    kind: "skill",
    ref,
  });
}

const mayReadReach = ({ can }: SeenSkill) =>
  (["update", "review", "analytics"] as const).some((act) => can?.includes(act));

/** The reach of a version for the caller for whom the skill was loaded. */
export async function reachOf(app: App, skill: SeenSkill, wanted: Wanted): Promise<SkillReachPayload> {
  const [installs, target] = await Promise.all([
    readInstalls(app, skill._id),
    reachedVersion(app, skill, wanted),
  ]);
  const counted = await countReach(installs, target);
  const { version, semver } = wanted;
  const isExact = skill.can?.includes("analytics") === true;
  return {
    version,
    semver,
    isLatest: target.latest === semver,
    isExact,
    isComplete: installs.size < maxInstalls,
    ...(isExact ? counted : rounded(counted)),
  };
}

/** The version, as pins see it once it is published, released or chosen. */
async function reachedVersion(app: App, skill: SkillDoc, wanted: Wanted): Promise<ReachedVersion> {
  const { version, semver } = wanted;
  const state = version === undefined ? "published" : stateOf(skill, version);
  const isNew = version === undefined || state === "held";
  const versions = await listSemvers(app, skill);
  const current = skill.withheld ? undefined : skill.current.semver;
  const becomesLatest =
    wanted.isChosen ??
    (isNew && !isPrerelease(semver) && (current === undefined || exceeds(semver, current)));
  let higher: SemVer[] | undefined;
  return {
    version,
    semver,
    latest: becomesLatest ? semver : current,
    channels: [
      ...(version === undefined ? [] : (channelsAt(skill, version) ?? [])),
      ...(wanted.channel === undefined ? [] : [wanted.channel]),
    ],
    isWithdrawn: state === "yanked" || state === "rejected",
    higher: () =>
      (higher ??= withoutWithdrawn(skill, versions)
        .map((other) => new SemVer(other.semver))
        .filter((other) => other.compare(semver) > 0)),
  };
}

const [everyone, installed, getting, updated] = [1, 2, 4, 8];
const firstClass = 4;

type Counted = Pick<SkillReachPayload, "all" | "installed" | "getting" | "spread" | "pins">;

/** Pins that are compared with versions before other requests continue. */
const comparedPins = 4;

async function countReach(installs: CompactInstalls, target: ReachedVersion): Promise<Counted> {
  const byPin: number[] = [];
  for (const [at, pin] of installs.pins.entries()) {
    if (at > 0 && at % comparedPins === 0) await setImmediate();
    const seen = seenFrom(target, pin);
    const bit = 1 << (firstClass + pinClasses.indexOf(seen.class));
    byPin.push(bit | everyone | (seen.isGetting ? getting : 0));
  }
  const counts = countGroups(installs, firstClass + pinClasses.length, (at) => {
    const bits = byPin[installs.pin[at]!]!;
    if (installs.version[at] !== target.version) return bits;
    return bits | installed | (bits & getting ? updated : 0);
  });
  const [all, having, takers, on] = counts;
  const classes = pinClasses.map((name, index) => [name, counts[firstClass + index]!] as const);
  return {
    all: all!,
    installed: having!,
    getting: takers!,
    spread: { machines: on!.machines, of: takers!.machines },
    pins: Object.fromEntries(classes) as Record<PinClass, InstalledCounts>,
  };
}

const up = (count: number) => Math.ceil(count / roundedTo) * roundedTo;

const roundedCounts = ({ members, machines, projects, targets }: InstalledCounts): InstalledCounts => ({
  members: up(members),
  machines: up(machines),
  projects: up(projects),
  // The order of the exact numbers would tell more than the rounded ones.
  targets: targets
    .map(({ target, machines: count }) => ({ target, machines: up(count) }))
    .toSorted((a, b) => b.machines - a.machines || (a.target < b.target ? -1 : 1)),
});

function rounded({ all, installed: having, getting: takers, spread, pins }: Counted): Counted {
  const entries = pinClasses.map((name) => [name, roundedCounts(pins[name])] as const);
  return {
    all: roundedCounts(all),
    installed: roundedCounts(having),
    getting: roundedCounts(takers),
    spread: { machines: up(spread.machines), of: up(spread.of) },
    pins: Object.fromEntries(entries) as Record<PinClass, InstalledCounts>,
  };
}

/** The installs with pins of a kind, latest report first. Requires `analytics:read`. */
export async function listReached(
  app: App,
  actor: Actor,
  ref: string,
  query: { version?: string; class?: PinClass; limit: number; cursor?: string },
): Promise<Page<ReachedInstallPayload>> {
  const skill = await loadSkill(app, actor, ref, "analytics:read");
  const wanted = await selectVersion(app, skill, readSelector(query.version));
  const [{ pins }, target] = await Promise.all([
    readInstalls(app, skill._id),
    reachedVersion(app, skill, wanted),
  ]);
  const wantedPins = query.class && pins.filter((pin) => classOf(target, pin) === query.class);
  return pageOfInstalls(
    query,
    (after, limit) => app.storage.installs.listOfSkill(skill._id, after, limit, wantedPins),
    async (rows) =>
      (await keepMembers(app, skill.tenantId, rows)).map(({ row, user }) => {
        const { _id: id, platform, scope, semver, range: pin, updatedAt } = row;
        const seen = classOf(target, pin);
        const at = updatedAt.toISOString();
        return {
          row,
          item: {
            id,
            user,
            platform,
            scope,
            semver,
            pin,
            class: seen,
            updatedAt: at,
          },
        };
      }),
  );
}
