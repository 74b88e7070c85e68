/**
 * Large installations, written through the storage layer with the fields, paths, search entries and log entries that
 * the service writes. Nine tenths of the skills, and every member, belong to one organization; the others have 200
 * skills each.
 *
 * No skill has a Git repository: none of the measured pages reads one, and 200,000 take 2 million files.
 */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { entryOf } from "../../src/skills/search/entry.ts";
import { newId } from "../../storage/database.ts";
import type { FolderDoc } from "../../storage/folders/folders.ts";
import type { Storage } from "../../storage/index.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { VersionDoc } from "../../storage/versions/versions.ts";
import { skillRow } from "../http/seed.ts";

export interface InstallationSize {
  skills: number;
  versions: number;
  members: number;
}

/** An organization with its folders. */
interface Organization {
  id: string;
  slug: string;
  folders: FolderDoc[];
  revision: number;
}

export interface Installation extends InstallationSize {
  /** The first one is the large one. */
  organizations: Organization[];
  ownerId: string;
  now: number;
}

const skillsPerOrganization = 200;
/** Every tenth skill belongs to one of the small organizations. */
const smallShare = 10;
const skillsPerFolder = 10;
const foldersPerParent = 20;
/** Every tenth folder is restricted. */
const restrictedShare = 10;
const batch = 1000;
/** Inserts at a time: those of one turn share a command of 50. */
const concurrency = 200;

/** An installation without skills, whose first organization belongs to a person, and exists. */
export function emptyInstallation(large: { id: string; slug: string }, ownerId: string): Installation {
  const organizations = [{ ...large, folders: [], revision: 0 }];
  return { organizations, ownerId, now: Date.now(), skills: 0, versions: 0, members: 0 };
}

/** Adds what the installation lacks of a size. */
export async function grow(
  storage: Storage,
  installation: Installation,
  to: InstallationSize,
): Promise<void> {
  const ofSmall = to.skills / smallShare;
  const small = Math.ceil(ofSmall / skillsPerOrganization);
  while (installation.organizations.length <= small) await addOrganization(storage, installation);
  for (let n = installation.members; n < to.members; n += batch)
    await mapLimit(range(n, Math.min(n + batch, to.members)), concurrency, (one) =>
      addMember(storage, installation, one),
    );
  installation.members = to.members;
  for (const [index, organization] of installation.organizations.entries()) {
    const skills = index === 0 ? to.skills - ofSmall : Math.min(skillsPerOrganization, ofSmall);
    await addFolders(storage, installation, organization, Math.ceil(skills / skillsPerFolder));
  }
  const added = { skills: to.skills - installation.skills, versions: to.versions - installation.versions };
  for (let n = installation.skills; n < to.skills; n += batch)
    await addSkills(
      storage,
      installation,
      range(n, Math.min(n + batch, to.skills)),
      added.versions / added.skills,
    );
  Object.assign(installation, to);
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

async function addOrganization(
  storage: Storage,
  { organizations, ownerId, now }: Installation,
): Promise<void> {
  const [id, at] = [newId(), new Date(now)];
  const slug = `org-${organizations.length}`;
  const dates = { createdAt: at, updatedAt: at };
  await storage.tenants.insert({
    _id: id,
    slug,
    slugs: [slug],
    name: slug,
    ownerIds: [ownerId],
    createdBy: ownerId,
    outbox: [],
    ...dates,
  });
  organizations.push({ id, slug, folders: [], revision: 0 });
}

/** A member of the large organization and of another one. */
async function addMember(storage: Storage, { organizations, now }: Installation, n: number): Promise<void> {
  const [userId, at] = [newId(), new Date(now - n * 1000)];
  const username = `person-${n}`;
  const email = `${username}@example.com`;
  await storage.users.insert({
    _id: userId,
    email,
    emailKey: email,
    username,
    name: `Person ${n}`,
    passwordHash: "",
    isAdministrator: false,
    emailVerifiedAt: at,
    outbox: [],
    createdAt: at,
    updatedAt: at,
  });
  const other = organizations[1 + (n % (organizations.length - 1))];
  for (const organization of [organizations[0]!, ...(other ? [other] : [])])
    await storage.memberships.insert({
      _id: newId(),
      tenantId: organization.id,
      tenantSlug: organization.slug,
      tenantName: organization.slug,
      userId,
      username,
      nameKeys: [username, `person ${n}`, String(n)],
      role: "member",
      createdAt: at,
      outbox: [],
    });
}

async function addFolders(
  storage: Storage,
  { now, ownerId }: Installation,
  organization: Organization,
  count: number,
): Promise<void> {
  const { id: tenantId, folders } = organization;
  const at = new Date(now);
  while (folders.length < count) {
    const first = folders.length;
    organization.revision++;
    for (let n = first; n < Math.min(count, first + batch); n++) {
      const isTop = n % foldersPerParent === 0;
      const slug = `folder-${n}`;
      folders.push({
        _id: newId(),
        tenantId,
        parentId: isTop ? null : folders[n - (n % foldersPerParent)]!._id,
        slug,
        name: slug,
        restricted: n % restrictedShare === restrictedShare - 1,
        grants: [],
        revision: organization.revision,
        createdBy: ownerId,
        createdAt: at,
        updatedAt: at,
      });
    }
    const rows = folders.slice(first);
    await storage.folders.commit(tenantId, organization.revision - 1, { rows, events: [] });
    await mapLimit(rows, concurrency, ({ _id, parentId, slug }) =>
      storage.pathReservations.reserve({
        _id: newId(),
        tenantId,
        parentId,
        slug,
        kind: "folder",
        ownerId: _id,
        createdAt: at,
      }),
    );
  }
}

async function addSkills(
  storage: Storage,
  installation: Installation,
  numbers: readonly number[],
  versionsPerSkill: number,
): Promise<void> {
  const made = numbers.map((n) => makeSkill(installation, n, versionsPerSkill));
  const skills = made.map(({ skill }) => skill);
  await mapLimit(skills, concurrency, (skill) => storage.skills.insert(skill));
  await storage.versions.record(made.flatMap(({ versions }) => versions));
  await mapLimit(skills, concurrency, ({ _id, tenantId, folderId, slug, createdAt }) =>
    storage.pathReservations.reserve({
      _id: newId(),
      tenantId,
      parentId: folderId,
      slug,
      kind: "skill",
      ownerId: _id,
      createdAt,
    }),
  );
  await storage.searchEntries.put(skills.map((skill) => entryOf(skill, undefined)));
  await storage.auditEvents.record(
    skills.map(({ _id, tenantId, name, createdAt }) => ({
      _id: newId(),
      tenantId,
      name: "skill.created",
      actor: { type: "user", id: installation.ownerId, name: "owner" },
      resourceType: "skill",
      resourceId: _id,
      metadata: { name },
      createdAt,
    })),
  );
}

function makeSkill(
  { organizations, now, ownerId }: Installation,
  n: number,
  versionsPerSkill: number,
): { skill: SkillDoc; versions: VersionDoc[] } {
  const index = n % smallShare > 0 ? 0 : 1 + Math.floor(n / smallShare / skillsPerOrganization);
  const { id: tenantId, slug: tenantSlug, folders } = organizations[index]!;
  const row = skillRow(tenantId, n, now);
  // A hundredth of the skills is at the root.
  const folder = n % 100 === 1 ? undefined : folders[(n * 7919) % folders.length];
  const isPublic = n % 4 === 1;
  const count = Math.floor((n + 1) * versionsPerSkill) - Math.floor(n * versionsPerSkill);
  const { name, description, createdAt, current } = row;
  const versions = range(1, count + 1).map((version): VersionDoc => ({
    _id: newId(),
    skillId: row._id,
    tenantId,
    version,
    semver: `1.${version - 1}.0`,
    prerelease: false,
    message: `Change ${version}`,
    format: "markdown",
    fileCount: 1,
    totalBytes: 10,
    oid: current.oid,
    treeOid: current.oid,
    digest: "",
    hash: "",
    name,
    description,
    author: null,
    source: "web",
    createdAt,
  }));
  const { _id: versionId, version, semver, oid } = versions.at(-1)!;
  const skill: SkillDoc = {
    ...row,
    tags: [...row.tags],
    pending: [],
    outbox: [],
    tenantSlug,
    createdBy: ownerId,
    visibility: isPublic ? "public" : "private",
    folderId: folder?._id ?? null,
    effectiveRestrictionId: folder?.restricted ? folder._id : null,
    listed: isPublic && !folder?.restricted,
    head: { version, oid },
    highestRelease: semver,
    current: { ...current, versionId, version, semver },
  };
  return { skill, versions };
}
