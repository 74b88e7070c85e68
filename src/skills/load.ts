/** Skills and versions as an actor may see them: record and access rule in one step. */
import { LRUCache } from "lru-cache";
import { isAnonymousName, type Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import type { Actor } from "../access/actor.ts";
import { decideSkill, type SkillFacts } from "../access/decide.ts";
import type { App } from "../app.ts";
import { ServiceError, forbidden, notFound } from "../errors.ts";
import { loadPlaces } from "../folders/load.ts";
import { readRange, readSelector, resolveRange, type VersionSelector } from "./semver.ts";

/** Finds a skill by id, publicId or `org~slug`, and asks whether the actor may do this to it. */
export async function loadSkill(
  app: App,
  actor: Actor,
  ref: string,
  permission: Permission,
): Promise<SkillDoc> {
  return admit(app, actor, permission, await findSkill(app, actor, ref), ref);
}

/** What the decision has to know of some skills, in their order. */
async function factsOf(app: App, actor: Actor, skills: readonly SkillDoc[]): Promise<SkillFacts[]> {
  const places = await loadPlaces(app, actor, skills);
  return skills.map(({ tenantId, visibility }, at) => ({ tenantId, visibility, place: places[at]! }));
}

/** Those of some skills that the actor may do this to. */
export async function keepAllowed<T extends SkillDoc>(
  app: App,
  actor: Actor,
  permission: Permission,
  skills: readonly T[],
): Promise<T[]> {
  const facts = await factsOf(app, actor, skills);
  return skills.filter((_, at) => decideSkill(actor, permission, facts[at]) === "allowed");
}

/** The access rule on a record that was found, or was not. What it says of its place is what the tree says now. */
export async function admit(
  app: App,
  actor: Actor,
  permission: Permission,
  skill: SkillDoc | null | undefined,
  ref: string,
): Promise<SkillDoc> {
  const [facts] = skill ? await factsOf(app, actor, [skill]) : [];
  const verdict = decideSkill(actor, permission, facts);
  if ((verdict === "absent" || verdict === "unauthenticated") && !facts?.place) await lookInVain(app, actor);
  if (verdict === "unauthenticated") {
    throw new ServiceError("unauthenticated", `No skill "${ref}" is public: sign in if it is yours.`, {
      kind: "skill",
      ref,
    });
  }
  if (verdict === "absent" || !skill) throw notFound("skill", ref);
  if (verdict === "refused") {
    throw forbidden(`Your role, grant or token does not allow ${permission} on "${skill.slug}".`, {
      kind: "skill",
      ref,
    });
  }
  return { ...skill, governingFolderId: facts?.place?.governing?.folderId ?? null };
}

/**
 * The same look-ups that a skill in a folder costs: how long an answer takes must not tell what is not there from what
 * is out of sight.
 */
async function lookInVain(app: App, actor: Actor): Promise<void> {
  await loadPlaces(app, actor, [{ tenantId: "nowhere", folderId: "nowhere" }]);
}

/** Whether anybody at all may keep a copy of what is read of it: public, and in no restricted folder. */
export function isShared(skill: SkillDoc): boolean {
  return skill.visibility === "public" && skill.governingFolderId === null;
}

async function findSkill(app: App, actor: Actor, ref: string): Promise<SkillDoc | null> {
  const { skills } = app.storage;
  if (isId(ref)) return skills.find(ref);
  const at = ref.indexOf("~");
  if (at > 0) {
    const tenantId = await findTenantId(app, actor, ref.slice(0, at));
    return tenantId === undefined ? null : skills.findBySlug(tenantId, ref.slice(at + 1));
  }
  return /^[A-Za-z0-9]{10}$/.test(ref) ? skills.findByPublicId(ref) : null;
}

/** The actor's own organizations are at hand, so that most references cost no look-up of theirs. */
async function findTenantId(app: App, actor: Actor, slug: string): Promise<string | undefined> {
  const own = actor.kind === "anonymous" ? undefined : actor.memberships.find((m) => m.tenantSlug === slug);
  if (own) return own.tenantId;
  const tenant = await app.storage.tenants.findBySlug(slug);
  if (tenant || !isAnonymousName(slug)) return tenant?._id;
  return (await app.storage.anonymousIdentities.findByUsername(slug))?._id;
}

/** Rows of versions never change, and nobody gets to one but through its skill: some are kept at hand. */
const versionRows = new LRUCache<string, VersionDoc>({ max: 5000 });

/** A version row, from the skill document while it has not been carried over yet. */
export async function findVersion(app: App, skill: SkillDoc, version: number): Promise<VersionDoc | null> {
  const waiting = skill.pending.find((row) => row.version === version);
  if (waiting) return waiting;
  const key = `${skill._id}:${version}`;
  const kept = versionRows.get(key);
  if (kept) return kept;
  const row = await app.storage.versions.find(skill._id, version);
  if (row) versionRows.set(key, row);
  return row;
}

/** The version that a pin names. Throws `not_found` when none does. */
export async function selectVersion(
  app: App,
  skill: SkillDoc,
  selector: VersionSelector,
): Promise<VersionDoc> {
  const version = await findSelected(app, skill, selector);
  if (!version) throw notFound("content", `${skill.slug}@${describe(selector)}`);
  return version;
}

async function findSelected(
  app: App,
  skill: SkillDoc,
  selector: VersionSelector,
): Promise<VersionDoc | null | undefined> {
  if (selector.kind === "current") return findVersion(app, skill, skill.current.version);
  if (selector.kind === "number") return findVersion(app, skill, selector.version);
  if (selector.kind === "exact") {
    return (
      skill.pending.find((row) => row.semver === selector.semver) ??
      app.storage.versions.findBySemver(skill._id, selector.semver)
    );
  }
  const chosen = resolveRange(selector.range, await listSemvers(app, skill), skill.current.semver);
  return chosen && findVersion(app, skill, chosen.version);
}

/** Every version's numbers, newest first, those that still wait to be carried over included. */
export async function listSemvers(app: App, skill: SkillDoc): Promise<{ version: number; semver: string }[]> {
  const stored = await app.storage.versions.listSemvers(skill._id);
  const waiting = skill.pending.filter((row) => !stored.some((version) => version.version === row.version));
  return [...waiting, ...stored].sort((a, b) => b.version - a.version);
}

export interface SelectorQuery {
  version?: string | undefined;
  semver?: string | undefined;
  range?: string | undefined;
}

/** The selector of a content request: at most one of a number, an exact version and a range. */
export function selectorOf(query: SelectorQuery): VersionSelector {
  const given = [query.version, query.semver, query.range].filter((value) => value !== undefined);
  if (given.length > 1) throw new ServiceError("invalid_request", "Send one of version, semver and range.");
  if (query.range !== undefined) return readRange(query.range);
  const selector = readSelector(given[0]);
  const expected =
    query.version !== undefined ? "number" : query.semver !== undefined ? "exact" : selector.kind;
  if (selector.kind !== expected) {
    throw new ServiceError(
      "invalid_request",
      "version takes a number, semver an exact version, range a range or latest: send what fits.",
    );
  }
  return selector;
}

function describe(selector: VersionSelector): string {
  if (selector.kind === "current") return "latest";
  if (selector.kind === "number") return String(selector.version);
  return selector.kind === "exact" ? selector.semver : selector.range;
}
