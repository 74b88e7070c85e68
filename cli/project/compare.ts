/** Differences between a manifest and its lock. Pure. */
import type { Target } from "../../contract/vocabulary.ts";
import { unpinned } from "../arguments/pins.ts";
import { isInSharedFolder } from "../targets/locate.ts";
import { shellWord } from "../terminal/shell-word.ts";
import type { LockedSkill, ProjectLock } from "./lock.ts";
import { type ProjectManifest, satisfies, wantedLocations, wantedTargets } from "./manifest.ts";

export interface Difference {
  /** As the manifest names it. */
  skill: string;
  reason: "missing" | "range" | "targets";
  wanted: string;
  locked?: string;
  /** The command that resolves it. */
  fix: string;
}

/** `canTake`: whether a target supports the skill; an unsupported one is not a difference. */
export function differencesOf(
  manifest: ProjectManifest | undefined,
  lock: ProjectLock,
  canTake: (skill: LockedSkill, target: Target) => boolean,
): Difference[] {
  const differences: Difference[] = [];
  for (const [ref, { range }] of manifest?.skills ?? []) {
    const locked = lock.get(ref);
    const wanted = wantedTargets(manifest, ref);
    const locations = wantedLocations(manifest, ref);
    const fix = installCommand(ref, range, wanted ?? [...(locked?.targets.keys() ?? [])], locations);
    if (locked === undefined) {
      differences.push({ skill: ref, reason: "missing", wanted: range, fix });
      continue;
    }
    if (!satisfies(locked.semver, range, locked.requested))
      differences.push({ skill: ref, reason: "range", wanted: range, locked: locked.semver, fix });
    const held = [...locked.targets.keys()];
    const lacking = (wanted ?? []).filter((name) => !held.includes(name) && canTake(locked, name));
    const superfluous = wanted === undefined ? [] : held.filter((name) => !wanted.includes(name));
    if (lacking.length + superfluous.length > 0 || hasOtherLocations(locked, locations))
      differences.push({
        skill: ref,
        reason: "targets",
        wanted: described(wanted ?? held, locations),
        locked: described(held, { shared: locked.shared, also: [...(locked.also?.keys() ?? [])] }),
        fix,
      });
  }
  return differences;
}

type Locations = ReturnType<typeof wantedLocations>;

function hasOtherLocations(locked: LockedSkill, { shared, also }: Locations): boolean {
  const canShare = [...locked.targets.keys()].some((platform) =>
    isInSharedFolder({ platform, isShared: true }, locked),
  );
  const isOther = shared !== undefined && canShare && shared !== (locked.shared === true);
  const held = [...(locked.also?.keys() ?? [])];
  return isOther || (also !== undefined && also.toSorted().join() !== held.toSorted().join());
}

function described(targets: readonly string[], { shared, also = [] }: Locations): string {
  return [...targets, ...(shared === true ? ["shared"] : []), ...also].join(",");
}

function installCommand(
  ref: string,
  range: string,
  targets: readonly string[],
  { shared, also = [] }: Locations,
): string {
  const pin = range === unpinned ? "" : `@${range}`;
  return [
    `svc install ${shellWord(ref + pin)} -p -t ${targets.length === 0 ? "<targets>" : targets.join(",")}`,
    ...(shared === undefined ? [] : [shared ? "--shared" : "--no-shared"]),
    ...(also.length === 0 ? [] : [`--also ${also.join(",")}`]),
  ].join(" ");
}

/** A difference as a sentence. */
export function describeDifference({ skill, reason, wanted, locked, fix }: Difference): string {
  const what = {
    missing: `svc.json asks for ${skill} (${wanted}), which svc.lock does not hold`,
    range: `svc.json pins ${skill} to ${wanted}, and svc.lock has ${locked}`,
    targets: `svc.json wants ${skill} for ${wanted}, and svc.lock has it for ${locked}`,
  }[reason];
  return `${what}: ${fix}`;
}
