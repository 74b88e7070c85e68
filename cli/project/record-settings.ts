/** The settings of a skill in `svc.json` and `svc.lock` after an install: its targets and locations. */
import type { InstallMethod, Target } from "../../contract/vocabulary.ts";
import type { InstallationRecord } from "../state/config.ts";
import { isInSharedFolder } from "../targets/locate.ts";
import type { LockedSkill } from "./lock.ts";
import type { ManifestRequest, ProjectManifest } from "./manifest.ts";
import type { RecordedSkill } from "./recorded-skill.ts";

/** A new manifest has default settings; later skills have their own if they differ. */
export function setRequest(
  manifest: ProjectManifest,
  ref: string,
  { range, targets, shared, also }: ManifestRequest & { targets: Target[]; also: string[] },
): void {
  if (manifest.skills.size === 0 && manifest.targets === undefined) {
    manifest.targets = targets;
    if (shared === true) manifest.shared = shared;
  }
  const own = manifest.skills.get(ref);
  const differs = (one: readonly string[] = [], other: readonly string[] = []) => one.join() !== other.join();
  const isShared = manifest.shared ?? false;
  manifest.skills.set(ref, {
    range,
    targets: own?.targets !== undefined || differs(manifest.targets, targets) ? targets : undefined,
    shared: own?.shared !== undefined || isShared !== (shared ?? isShared) ? shared : undefined,
    also: own?.also !== undefined || differs(manifest.also, also) ? also : undefined,
  });
}

export const isAtDefault = ({ also }: InstallationRecord) => also === undefined;

/** The current locations if they were requested, otherwise those of the lock, so that machines don't alternate. */
export function locationsOf(
  { records, request, skill, version }: RecordedSkill,
  locked: LockedSkill | undefined,
  wanted: Pick<ManifestRequest, "shared" | "also">,
): { shared: boolean | undefined; also: Map<string, InstallMethod> } {
  const isRequested = request !== undefined && request.targets.length + request.also.length > 0;
  const item = { type: skill.type, format: version.format };
  const canShare = records.some(({ platform }) => isInSharedFolder({ platform, isShared: true }, item));
  const isShared = records.some(({ shared }) => shared === true);
  const shared = isRequested || locked === undefined ? isShared : locked.shared === true;
  const present = records.flatMap(({ also, method }) =>
    also === undefined ? [] : [[also, method] as const],
  );
  const found = new Map([...(locked?.also ?? []), ...(isRequested || locked === undefined ? present : [])]);
  const isWanted = (name: string) =>
    wanted.also === undefined || wanted.also.includes(name) || request?.also.includes(name) === true;
  return {
    // A rule is in no shared folder, whatever the project's default is.
    shared: canShare ? shared : undefined,
    also: new Map([...found].filter(([name]) => isWanted(name))),
  };
}
