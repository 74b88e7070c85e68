/**
 * Updates `svc.json` and `svc.lock` after installs. All functions run with the state's lock held and
 * read both files again, so that concurrent runs don't lose each other's changes.
 */
import type { InstallMethod, Target } from "../../contract/vocabulary.ts";
import { unpinned } from "../arguments/pins.ts";
import { CliError, messageOf } from "../errors.ts";
import type { Applied } from "../install/announce.ts";
import { qualifiedName, refuseReplaced } from "../install/publisher.ts";
import { findScope } from "../install/records/scopes.ts";
import type { InstalledSkill } from "../state/config.ts";
import { type Project, readProject, writeProject } from "./files.ts";
import { type LockedSkill, type ProjectLock, printLock } from "./lock.ts";
import {
  editManifest,
  emptyManifest,
  inOrder,
  parseManifest,
  wantedLocations,
  wantedTargets,
} from "./manifest.ts";
import { isAtDefault, locationsOf, setRequest } from "./record-settings.ts";
import type { RecordedSkill, RecordedVersion } from "./recorded-skill.ts";
import { isFormerName, refOf, withPresentName } from "./refs.ts";

/** Updates both files for one skill; without a request, only if they contain the skill. */
export async function recordSkill(folder: string, recorded: RecordedSkill): Promise<void> {
  const { skill, request, own, renames = false } = recorded;
  const stored = await readProject(folder);
  const known = refOf(stored, skill, own);
  if (known === undefined && request === undefined) return;
  refuseReplaced(stored.lock, skill);
  // A slug alone means another skill to another reader, so the organization is recorded with it.
  const isBare = known === skill.slug && request !== undefined;
  const isFormer = renames && known !== undefined && isFormerName(known, skill);
  const project = isBare || isFormer ? withPresentName(stored, skill, known) : stored;
  const ref = refOf(project, skill, own) ?? qualifiedName(skill);
  const lock: ProjectLock = new Map(project.lock);

  const found = new Set([
    ...recorded.records.filter(isAtDefault).map(({ platform }) => platform),
    ...(lock.get(ref)?.targets.keys() ?? []),
  ]);
  const wanted = wantedTargets(project.manifest, ref);
  const kept = [...found].filter((name) => wanted === undefined || wanted.includes(name));
  const chosen = inOrder(new Set([...kept, ...(request?.targets ?? [])]));
  const locations = locationsOf(recorded, lock.get(ref), wantedLocations(project.manifest, ref));

  // A number of a version means a range behind `@`.
  const range =
    request !== undefined && /^\d+$/.test(request.range) ? recorded.version.semver : request?.range;
  const manifestText =
    range === undefined
      ? project.manifestText
      : editManifest(project.manifestText ?? emptyManifest, project.manifestPath, (manifest) =>
          setRequest(manifest, ref, {
            range,
            targets: chosen,
            ...locations,
            also: [...locations.also.keys()],
          }),
        );
  const requested = range ?? project.manifest?.skills.get(ref)?.range ?? unpinned;
  if (chosen.length + locations.also.size === 0) lock.delete(ref);
  else {
    const targets = methodsOf(recorded, chosen, lock.get(ref));
    lock.set(ref, { ...lockedSkill(recorded, requested, targets), ...locations });
  }
  await writeProject(stored, { manifestText, lockText: lockTextOf(stored, manifestText, lock) });
}

/** Records an install into the project, unless all targets were skipped. */
export async function recordInstall(
  folder: string,
  { skill, version, own }: RecordedVersion,
  { installName, skill: installed }: Pick<Applied, "installName" | "skill">,
  request: { range: string; targets: readonly Target[]; also: readonly string[] },
): Promise<void> {
  const scope = findScope(installed, folder);
  const records = scope?.records ?? [];
  const atDefault = records.filter(isAtDefault);
  const targets = request.targets.filter((name) => atDefault.some(({ platform }) => platform === name));
  const also = request.also.filter((name) => records.some((record) => record.also === name));
  if (targets.length + also.length === 0 || scope?.hash !== version.hash) return;
  try {
    await recordSkill(folder, {
      skill,
      version,
      own,
      installName,
      records,
      request: { ...request, targets, also },
    });
  } catch (error) {
    const message = `${messageOf(error)} ${skill.name} is installed; run the command again to record it.`;
    throw new CliError("E_INTERNAL", message, undefined, { cause: error });
  }
}

/** Removes a skill from both files. */
export async function forgetSkill(folder: string, skill: InstalledSkill): Promise<void> {
  const project = await readProject(folder);
  const ref = refOf(project, skill, false);
  if (ref === undefined) return;
  const lock: ProjectLock = new Map(project.lock);
  lock.delete(ref);
  const manifestText =
    project.manifestText === undefined
      ? undefined
      : editManifest(project.manifestText, project.manifestPath, (manifest) => manifest.skills.delete(ref));
  await writeProject(project, { manifestText, lockText: lockTextOf(project, manifestText, lock) });
}

/** Removes entries of the lock that the manifest no longer has. Creates no empty lock. */
function lockTextOf(
  project: Project,
  manifestText: string | undefined,
  lock: ProjectLock,
): string | undefined {
  if (project.lockText === undefined && lock.size === 0) return undefined;
  if (manifestText === undefined) return printLock(lock);
  const { skills } = parseManifest(manifestText, project.manifestPath);
  return printLock(new Map([...lock].filter(([ref]) => skills.has(ref))));
}

/** The current methods if they were requested, otherwise those of the lock, so that machines don't alternate. */
function methodsOf(
  { records, request }: RecordedSkill,
  chosen: readonly Target[],
  locked: LockedSkill | undefined,
): Map<Target, InstallMethod> {
  const methods = new Map<Target, InstallMethod>();
  for (const target of chosen) {
    const own = records.find((record) => isAtDefault(record) && record.platform === target)?.method;
    const before = locked?.targets.get(target);
    const method = request?.targets.includes(target) === true ? (own ?? before) : (before ?? own);
    if (method !== undefined) methods.set(target, method);
  }
  return methods;
}

function lockedSkill(
  { skill, version, installName }: RecordedSkill,
  requested: string,
  targets: Map<Target, InstallMethod>,
): LockedSkill {
  const { name, description } = skill;
  return {
    publicId: skill.publicId,
    requested,
    version: version.version,
    semver: version.semver,
    digest: version.hash,
    frontmatter: version.frontmatterHash,
    commit: version.commit,
    type: skill.type,
    format: version.format,
    ...(version.format === "markdown" ? { name, description } : {}),
    installName,
    targets,
  };
}
