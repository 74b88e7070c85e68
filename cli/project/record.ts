/**
 * Updates `svc.json` and `svc.lock` after installs. All functions run with the state's lock held and
 * read both files again, so that concurrent runs don't lose each other's changes.
 */
import type { SkillPayload, VersionPayload } from "../../contract/payloads/skills.ts";
import type { InstallMethod, Target } from "../../contract/vocabulary.ts";
import { unpinned } from "../pins.ts";
import { CliError, messageOf } from "../errors.ts";
import type { Applied } from "../install/announce.ts";
import { qualifiedName, refuseReplaced } from "../install/publisher.ts";
import { findScope } from "../install/scopes.ts";
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
import { refOf, withOrganization } from "./refs.ts";

/** Facts about an installed version that the local state does not have. */
export interface RecordedVersion {
  skill: Pick<SkillPayload, "publicId" | "slug" | "tenantSlug" | "name" | "description" | "type">;
  version: Pick<VersionPayload, "version" | "semver" | "hash" | "frontmatterHash" | "commit" | "format">;
  /** The skill belongs to one of the user's organizations. */
  own: boolean;
}

export interface RecordedSkill extends RecordedVersion {
  installName: string;
  /** Records of the skill in this project. */
  records: readonly InstallationRecord[];
  /** The user's request, written into the manifest. Without it, the manifest stays as it is. */
  request?: {
    range: string;
    /** Requested targets; undefined if only a pin was requested. */
    targets: readonly Target[];
  };
}

/** Updates both files for one skill; without a request, only if they contain the skill. */
export async function recordSkill(folder: string, recorded: RecordedSkill): Promise<void> {
  const { skill, request, own } = recorded;
  const stored = await readProject(folder);
  const known = refOf(stored, skill, own);
  if (known === undefined && request === undefined) return;
  refuseReplaced(stored.lock, skill);
  // A slug alone means another skill to another reader, so the organization is recorded with it.
  const project = known === skill.slug && request !== undefined ? withOrganization(stored, skill) : stored;
  const ref = refOf(project, skill, own) ?? qualifiedName(skill);
  const lock: ProjectLock = new Map(project.lock);

  const found = new Set([
    ...recorded.records.map(({ platform }) => platform),
    ...(lock.get(ref)?.targets.keys() ?? []),
  ]);
  const wanted = wantedTargets(project.manifest, ref);
  const kept = [...found].filter((name) => wanted === undefined || wanted.includes(name));
  const chosen = inOrder(new Set([...kept, ...(request?.targets ?? [])]));

  // A number of a version means a range behind `@`.
  const range =
    request !== undefined && /^\d+$/.test(request.range) ? recorded.version.semver : request?.range;
  const manifestText =
    range === undefined
      ? project.manifestText
      : editManifest(project.manifestText ?? emptyManifest, project.manifestPath, (manifest) =>
          setRequest(manifest, ref, range, chosen),
        );
  const requested = range ?? project.manifest?.skills.get(ref)?.range ?? unpinned;
  if (chosen.length === 0) lock.delete(ref);
  else lock.set(ref, lockedSkill(recorded, requested, methodsOf(recorded, chosen, lock.get(ref))));
  await writeProject(stored, { manifestText, lockText: lockTextOf(stored, manifestText, lock) });
}

/** Records an install into the project, unless all targets were skipped. */
export async function recordInstall(
  folder: string,
  { skill, version, own }: RecordedVersion,
  { installName, skill: installed }: Pick<Applied, "installName" | "skill">,
  request: { range: string; targets: readonly Target[] },
): Promise<void> {
  const scope = findScope(installed, folder);
  const records = scope?.records ?? [];
  const targets = request.targets.filter((name) => records.some(({ platform }) => platform === name));
  if (targets.length === 0 || scope?.hash !== version.hash) return;
  try {
    await recordSkill(folder, {
      skill,
      version,
      own,
      installName,
      records,
      request: { ...request, targets },
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

/** A new manifest has default targets; later skills have their own if they differ. */
function setRequest(manifest: ProjectManifest, ref: string, range: string, chosen: Target[]): void {
  if (manifest.skills.size === 0 && manifest.targets === undefined) manifest.targets = chosen;
  const isUsual = manifest.targets !== undefined && manifest.targets.join() === chosen.join();
  const own = manifest.skills.get(ref)?.targets;
  manifest.skills.set(ref, isUsual && own === undefined ? { range } : { range, targets: chosen });
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

/** The present methods if they were requested, otherwise those of the lock, so that machines don't alternate. */
function methodsOf(
  { records, request }: RecordedSkill,
  chosen: readonly Target[],
  locked: LockedSkill | undefined,
): Map<Target, InstallMethod> {
  const methods = new Map<Target, InstallMethod>();
  for (const target of chosen) {
    const own = records.find(({ platform }) => platform === target)?.method;
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
    ...(version.frontmatterHash === undefined ? {} : { frontmatter: version.frontmatterHash }),
    commit: version.commit,
    type: skill.type,
    format: version.format,
    ...(version.format === "markdown" ? { name, description } : {}),
    installName,
    targets,
  };
}
