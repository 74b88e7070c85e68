/** Skills of an organization for ClawHub's client: public ones, and those that the caller's token may read. */
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { Page } from "../../http/route.ts";
import { loadSkill, type SeenSkill } from "../../skills/load.ts";
import { markOf, unseenVersions } from "../../skills/marks/marks.ts";
import { isReleasedAgainst } from "../../skills/scan/apply-verdict.ts";
import { presentScan } from "../../skills/scan/read-scan.ts";
import { exploreSkills, findOwn, listSkills } from "../../skills/search/search.ts";
import { selectVersion } from "../../skills/versions/select-version.ts";
import type { Flag } from "./present.ts";

export interface Asked {
  org: string;
  slug: string;
  ownerHandle?: string;
}

/** The message that the client shows. It is the same for a skill that is missing and for one that is not readable. */
const skillNotFound = () => new ServiceError("not_found", "Skill not found");

/** Throws `not_found` for what the caller may not read, also to callers without a token. */
export async function loadAsked(
  app: App,
  actor: Actor,
  { org, slug, ownerHandle = org }: Asked,
): Promise<SeenSkill> {
  let skill: SeenSkill;
  try {
    skill = await loadSkill(app, actor, `${org}~${slug}`, "skill:read", {
      typed: `${org}/${slug}`,
      follow: true,
    });
  } catch (error) {
    if (error instanceof ServiceError && (error.code === "not_found" || error.code === "unauthenticated"))
      throw skillNotFound();
    throw error;
  }
  const owner = ownerHandle.replace(/^@/, "");
  if (skill.type !== "skill" || (owner !== org && owner !== skill.tenantSlug)) throw skillNotFound();
  return skill;
}

/** An exact version, or that of a tag: the current one for `latest`, else that of a channel. */
export async function selectAsked(
  app: App,
  skill: SkillDoc,
  { version, tag = "latest" }: { version?: string; tag?: string },
): Promise<VersionDoc> {
  if (version !== undefined) return selectVersion(app, skill, { kind: "exact", semver: version });
  return selectVersion(app, skill, tag === "latest" ? { kind: "current" } : { kind: "channel", name: tag });
}

/** The verdict about the current version, as far as the caller sees it; undefined without a warning. */
export async function flagOf(app: App, actor: Actor, skill: SeenSkill): Promise<Flag | undefined> {
  const { current } = skill;
  const verdict = markOf(skill, current.version)?.verdict;
  // A skill with nothing to install has its last version as the current one, which may be held or rejected.
  if (!verdict || unseenVersions(skill).includes(current.version)) return undefined;
  const scan = await app.storage.versionScans.find(skill._id, current.version);
  const { rules } = await presentScan(app, actor, skill, current, scan);
  const isReleased = isReleasedAgainst(scan ?? {}, skill, verdict);
  return { verdict, isReleased, rules: rules.map(({ rule }) => rule) };
}

interface AskedList {
  query?: string;
  sort?: string;
  limit: number;
  cursor?: string;
}

/**
 * A page of the organization's skills with their deprecated versions. Those with nothing to install are left out, so
 * that a page may be short. An unknown organization has none.
 */
export async function listAsked(
  app: App,
  actor: Actor,
  org: string,
  asked: AskedList,
): Promise<Page<SkillDoc>> {
  const { items: rows, nextCursor } = await listRows(app, actor, org, asked);
  const items = rows.filter(({ withheld }) => !withheld);
  const marked = await app.storage.skillSearch.listDeprecatedVersions(items.map(({ _id }) => _id));
  const marksOf = new Map(marked.map(({ _id, marks }) => [_id, marks]));
  return new Page(
    items.map((skill) => ({ ...skill, marks: marksOf.get(skill._id) })),
    nextCursor,
  );
}

/** By relevance if there is a query. */
async function listRows(
  app: App,
  actor: Actor,
  org: string,
  { sort, query, ...page }: AskedList,
): Promise<Page<SkillDoc>> {
  const own = await findOwn(app, actor, org);
  const conditions = { type: "skill", query, ...page } as const;
  if (own) return listSkills(app, actor, { ...conditions, tenant_id: own.tenantId });
  const order = sort === "downloads" || sort === "newest" ? sort : "updated";
  return exploreSkills(app, actor, {
    ...conditions,
    tenant: org,
    sort: query === undefined ? order : undefined,
  });
}
