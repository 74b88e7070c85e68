/**
 * Keeping `svc.json` and `svc.lock` in step with what is installed. All of it runs with the state's lock held and
 * reads both files afresh, so that of two runs at once neither forgets what the other wrote.
 */
import type { SkillPayload, VersionPayload } from "../../contract/payloads.ts";
import type { InstallMethod, Target } from "../../contract/vocabulary.ts";
import { unpinned } from "../pins.ts";
import { CliError, messageOf } from "../errors.ts";
import type { Applied } from "../install/apply.ts";
import type { InstallationRecord, InstalledSkill } from "../state/config.ts";
import { type Project, readProject, writeProject } from "./files.ts";
import { type LockedSkill, type ProjectLock, printLock } from "./lock.ts";
import {
  type ProjectManifest,
  editManifest,
  emptyManifest,
  inOrder,
  parseManifest,
  wantedTargets,
} from "./manifest.ts";

/** What is known of an installed version beside what the local state keeps. */
export interface RecordedVersion {
  skill: Pick<SkillPayload, "publicId" | "slug" | "tenantSlug" | "name" | "description" | "type">;
  version: Pick<VersionPayload, "version" | "semver" | "hash" | "commit" | "format">;
}

export interface RecordedSkill extends RecordedVersion {
  installName: string;
  /** Of the skill in this project. */
  records: readonly InstallationRecord[];
  /** What somebody asked for: written into the manifest. Without it the manifest stays as it is. */
  wish?: {
    range: string;
    /** Asked for just now; none where only the pin was. */
    targets: readonly Target[];
  };
}

/** Brings both files to what lies in the project of one skill; without a wish, only of a skill that they name. */
export async function recordSkill(folder: string, recorded: RecordedSkill): Promise<void> {
  const project = await readProject(folder);
  const lock: ProjectLock = new Map(project.lock);
  const known = refOf(project, recorded.skill);
  const { wish } = recorded;
  if (known === undefined && wish === undefined) return;
  const ref = known ?? `${recorded.skill.tenantSlug}/${recorded.skill.slug}`;

  const found = new Set([
    ...recorded.records.map(({ platform }) => platform),
    ...(lock.get(ref)?.targets.keys() ?? []),
  ]);
  const wanted = wantedTargets(project.manifest, ref);
  const kept = [...found].filter((name) => wanted === undefined || wanted.includes(name));
  const chosen = inOrder(new Set([...kept, ...(wish?.targets ?? [])]));

  // A number of a version means a range behind `@`.
  const range = wish !== undefined && /^\d+$/.test(wish.range) ? recorded.version.semver : wish?.range;
  const manifestText =
    range === undefined
      ? project.manifestText
      : editManifest(project.manifestText ?? emptyManifest, project.manifestPath, (manifest) =>
          addWish(manifest, ref, range, chosen),
        );
  const requested = range ?? project.manifest?.skills.get(ref)?.range ?? unpinned;
  if (chosen.length === 0) lock.delete(ref);
  else lock.set(ref, lockedSkill(recorded, requested, methodsOf(recorded, chosen, lock.get(ref))));
  await writeProject(project, { manifestText, lockText: lockTextOf(project, manifestText, lock) });
}

/** After an install into the project; what was skipped everywhere is not recorded. */
export async function recordInstall(
  folder: string,
  { skill, version }: RecordedVersion,
  { installName, skill: installed }: Pick<Applied, "installName" | "skill">,
  wish: { range: string; targets: readonly Target[] },
): Promise<void> {
  const records = (installed?.installs ?? []).filter(({ projectDir }) => projectDir === folder);
  const targets = wish.targets.filter((name) => records.some(({ platform }) => platform === name));
  if (targets.length === 0 || installed?.hash !== version.hash) return;
  try {
    await recordSkill(folder, { skill, version, installName, records, wish: { ...wish, targets } });
  } catch (error) {
    const message = `${messageOf(error)} ${skill.name} is installed; run the command again to record it.`;
    throw new CliError("E_INTERNAL", message, undefined, { cause: error });
  }
}

/** Takes a skill out of both files. */
export async function forgetSkill(folder: string, skill: InstalledSkill): Promise<void> {
  const project = await readProject(folder);
  const ref = refOf(project, skill);
  if (ref === undefined) return;
  const lock: ProjectLock = new Map(project.lock);
  lock.delete(ref);
  const manifestText =
    project.manifestText === undefined
      ? undefined
      : editManifest(project.manifestText, project.manifestPath, (manifest) => manifest.skills.delete(ref));
  await writeProject(project, { manifestText, lockText: lockTextOf(project, manifestText, lock) });
}

/** The name that the files have for a skill: the lock knows for sure, the manifest by how people call it. */
export function refOf(
  { manifest, lock }: Pick<Project, "manifest" | "lock">,
  { publicId, slug, tenantSlug }: Pick<SkillPayload, "publicId" | "slug" | "tenantSlug">,
): string | undefined {
  const locked = [...(lock ?? [])].find(([, entry]) => entry.publicId === publicId)?.[0];
  if (locked !== undefined && (manifest === undefined || manifest.skills.has(locked))) return locked;
  const names = [`${tenantSlug}/${slug}`, publicId, slug];
  const isIt = (ref: string) =>
    names.includes(ref) || (ref.includes("://") && ref.endsWith(`/s/${publicId}`));
  const wished = [...(manifest?.skills.keys() ?? [])].find(
    (ref) => isIt(ref) && (lock?.get(ref)?.publicId ?? publicId) === publicId,
  );
  return wished ?? (manifest === undefined ? locked : undefined);
}

/** A new manifest says once where everything goes; later skills say it themselves where they differ. */
function addWish(manifest: ProjectManifest, ref: string, range: string, chosen: Target[]): void {
  if (manifest.skills.size === 0 && manifest.targets === undefined) manifest.targets = chosen;
  const isUsual = manifest.targets !== undefined && manifest.targets.join() === chosen.join();
  const own = manifest.skills.get(ref)?.targets;
  manifest.skills.set(ref, isUsual && own === undefined ? { range } : { range, targets: chosen });
}

/** As they lie there now where that was asked for; else as the lock has it, so that machines do not take turns. */
function methodsOf(
  { records, wish }: RecordedSkill,
  chosen: readonly Target[],
  locked: LockedSkill | undefined,
): Map<Target, InstallMethod> {
  const methods = new Map<Target, InstallMethod>();
  for (const target of chosen) {
    const own = records.find(({ platform }) => platform === target)?.method;
    const before = locked?.targets.get(target);
    const method = wish?.targets.includes(target) === true ? (own ?? before) : (before ?? own);
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
    commit: version.commit,
    type: skill.type,
    format: version.format,
    ...(version.format === "markdown" ? { name, description } : {}),
    installName,
    targets,
  };
}

/** What the manifest no longer names goes out of the lock as well. A project without a lock gets none for nothing. */
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
