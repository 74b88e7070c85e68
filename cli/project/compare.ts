/** What a manifest asks for and a lock does not hold. Pure. */
import type { Target } from "../../contract/vocabulary.ts";
import { unpinned } from "../pins.ts";
import type { LockedSkill, ProjectLock } from "./lock.ts";
import { type ProjectManifest, satisfies, wantedTargets } from "./manifest.ts";

export interface Gap {
  /** As the manifest names it. */
  skill: string;
  reason: "missing" | "range" | "targets";
  wanted: string;
  locked?: string;
  /** The command that closes it. */
  fix: string;
}

/** `canTake`: whether a tool takes the skill at all; one that does not is not missed. */
export function gapsOf(
  manifest: ProjectManifest | undefined,
  lock: ProjectLock,
  canTake: (skill: LockedSkill, target: Target) => boolean,
): Gap[] {
  const gaps: Gap[] = [];
  for (const [ref, { range }] of manifest?.skills ?? []) {
    const locked = lock.get(ref);
    const wanted = wantedTargets(manifest, ref);
    const fix = installCommand(ref, range, wanted ?? [...(locked?.targets.keys() ?? [])]);
    if (locked === undefined) {
      gaps.push({ skill: ref, reason: "missing", wanted: range, fix });
      continue;
    }
    if (!satisfies(locked.semver, range))
      gaps.push({ skill: ref, reason: "range", wanted: range, locked: locked.semver, fix });
    const held = [...locked.targets.keys()];
    const lacking = (wanted ?? []).filter((name) => !held.includes(name) && canTake(locked, name));
    const superfluous = wanted === undefined ? [] : held.filter((name) => !wanted.includes(name));
    if (lacking.length + superfluous.length > 0)
      gaps.push({
        skill: ref,
        reason: "targets",
        wanted: (wanted ?? []).join(","),
        locked: held.join(","),
        fix,
      });
  }
  return gaps;
}

function installCommand(ref: string, range: string, targets: readonly string[]): string {
  const pin = range === unpinned ? "" : `@${range}`;
  const named = /^[\w./:@^~*-]+$/.test(ref + pin) ? ref + pin : `"${ref}${pin}"`;
  return `svc install ${named} -p -t ${targets.length === 0 ? "<targets>" : targets.join(",")}`;
}

/** One sentence for people. */
export function describeGap({ skill, reason, wanted, locked, fix }: Gap): string {
  const what = {
    missing: `svc.json asks for ${skill} (${wanted}), which svc.lock does not hold`,
    range: `svc.json pins ${skill} to ${wanted}, and svc.lock has ${locked}`,
    targets: `svc.json wants ${skill} for ${wanted}, and svc.lock has it for ${locked}`,
  }[reason];
  return `${what}: ${fix}`;
}
