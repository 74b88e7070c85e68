/** Deviations of a project's installs from its lock, and of the lock from the manifest. */
import type { Target } from "../../../contract/vocabulary.ts";
import type { Context } from "../../context.ts";
import { digestOfSection, isThere } from "../../install/locations/digest.ts";
import { linkTarget } from "../../install/locations/files.ts";
import type { ScopeInstalls } from "../../install/records/scopes.ts";
import type { InstallationRecord } from "../../state/config.ts";
import { alsoLocations } from "../../targets/locate.ts";
import { describeDifference, differencesOf } from "../compare.ts";
import type { Project } from "../files.ts";
import { locateInProject } from "../locations.ts";
import type { LockedSkill } from "../lock.ts";
import { isAsLocked } from "../restored-skill.ts";
import type { CheckedSkill, Drift } from "./drift.ts";

export async function driftFromLock(
  context: Context,
  project: Project,
  installed: readonly CheckedSkill[],
): Promise<Drift[]> {
  const { folder, manifest, lock, lockText } = project;
  const drift = driftFromManifest(context, project);
  if (lockText === undefined || lock === undefined) return drift;
  for (const [ref, locked] of lock) {
    if (manifest !== undefined && !manifest.skills.has(ref)) continue;
    const found = installed.find(({ skill }) => skill.publicId === locked.publicId);
    const scope = scopeIn(folder, found);
    const records = scope?.records ?? [];
    if (scope !== undefined) drift.push(...driftOfVersion(ref, locked, scope));
    drift.push(...(await missingTargets(context, folder, ref, locked, records)));
    for (const { platform, path, also } of records)
      if (also === undefined ? !locked.targets.has(platform) : locked.also?.has(also) !== true)
        drift.push({
          kind: "notLocked",
          skill: ref,
          platform,
          path,
          message: `${path} is installed, and svc.lock does not have ${ref} for ${platform}`,
        });
  }
  const named = new Set(
    [...lock].flatMap(([ref, { publicId }]) =>
      manifest === undefined || manifest.skills.has(ref) ? [publicId] : [],
    ),
  );
  return [...drift, ...unlockedSkills(folder, installed, named)];
}

function driftFromManifest(context: Context, { folder, manifest, lock }: Project): Drift[] {
  const canTake = (skill: LockedSkill, target: Target) =>
    !("refused" in locateInProject(context, folder, skill, target));
  return differencesOf(manifest, lock ?? new Map(), canTake).map((difference) => ({
    kind: "manifest",
    skill: difference.skill,
    message: describeDifference(difference),
  }));
}

function scopeIn(folder: string, checked: CheckedSkill | undefined): ScopeInstalls | undefined {
  return checked?.scopes.find(({ projectDir }) => projectDir === folder);
}

function driftOfVersion(ref: string, locked: LockedSkill, scope: ScopeInstalls): Drift[] {
  if (scope.version !== locked.version)
    return [
      {
        kind: "version",
        skill: ref,
        message: `${ref} is installed in ${scope.semver}, and svc.lock has ${locked.semver}`,
      },
    ];
  if (scope.hash === locked.digest) return [];
  return [
    {
      kind: "digest",
      skill: ref,
      message: `${ref} ${locked.semver} has another digest than in svc.lock`,
    },
  ];
}

/** The locked targets without a record, and the unrecorded files at their paths. */
async function missingTargets(
  context: Context,
  folder: string,
  ref: string,
  locked: LockedSkill,
  records: readonly InstallationRecord[],
): Promise<Drift[]> {
  const drift: Drift[] = [];
  for (const [also] of locked.also ?? [])
    if (!records.some((record) => record.also === also))
      drift.push({
        kind: "notInstalled",
        skill: ref,
        platform: alsoLocations.get(also)!.platform,
        message: `${ref} is not installed in ${also}: svc restore`,
      });
  for (const platform of locked.targets.keys()) {
    const record = records.find((one) => one.also === undefined && one.platform === platform);
    if (record !== undefined) {
      if (!isAsLocked(record, locked))
        drift.push({
          kind: "notInstalled",
          skill: ref,
          platform,
          path: record.path,
          message: `${ref} is in another folder for ${platform} than svc.lock has: svc restore`,
        });
      continue;
    }
    drift.push({
      kind: "notInstalled",
      skill: ref,
      platform,
      message: `${ref} is not installed for ${platform}: svc restore`,
    });
    const path = await foreignPath(context, folder, locked, platform);
    if (path !== undefined)
      drift.push({
        kind: "unrecorded",
        skill: ref,
        platform,
        path,
        message: `${path} is there, and no record of it`,
      });
  }
  return drift;
}

/** Installs in the project of skills that the lock does not name. */
function unlockedSkills(
  folder: string,
  installed: readonly CheckedSkill[],
  named: ReadonlySet<string>,
): Drift[] {
  return installed
    .filter(({ skill }) => !named.has(skill.publicId))
    .flatMap((checked) =>
      (scopeIn(folder, checked)?.records ?? []).map(({ platform, path }): Drift => ({
        kind: "notLocked",
        skill: checked.installName,
        platform,
        path,
        message: `${path} is installed, and svc.lock does not name ${checked.installName}`,
      })),
    );
}

/** An unrecorded file at the path of a locked skill. */
async function foreignPath(
  context: Context,
  folder: string,
  locked: LockedSkill,
  platform: Target,
): Promise<string | undefined> {
  const placement = locateInProject(context, folder, locked, platform);
  if ("refused" in placement) return undefined;
  const { path, shape } = placement;
  const found =
    shape === "section"
      ? (await digestOfSection(path, locked.installName)) !== undefined
      : (await isThere(path)) && (await linkTarget(path)) === undefined;
  return found ? path : undefined;
}
