/** Skills of an organization for ClawHub's client: public ones, and those that the caller's token may read. */
import type { SkillDoc } from "../../../storage/skills.ts";
import type { VersionDoc } from "../../../storage/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../http/route.ts";
import { loadSkill } from "../../skills/load.ts";
import { exploreSkills, findOwn, listSkills } from "../../skills/search/search.ts";
import { selectVersion } from "../../skills/versions/select-version.ts";

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
): Promise<SkillDoc> {
  let skill: SkillDoc;
  try {
    skill = await loadSkill(app, actor, `${org}~${slug}`, "skill:read", { typed: `${org}/${slug}` });
  } catch (error) {
    if (error instanceof ServiceError && (error.code === "not_found" || error.code === "unauthenticated"))
      throw skillNotFound();
    throw error;
  }
  const owner = ownerHandle.replace(/^@/, "");
  if (skill.type !== "skill" || (owner !== org && owner !== skill.tenantSlug)) throw skillNotFound();
  return skill;
}

/** An exact version, or the current one, which has the tag `latest`. */
export async function selectAsked(
  app: App,
  skill: SkillDoc,
  { version, tag = "latest" }: { version?: string; tag?: string },
): Promise<VersionDoc> {
  if (version === undefined && tag !== "latest")
    throw new ServiceError("not_found", `The tag "${tag}" does not exist: there is only "latest".`);
  return selectVersion(
    app,
    skill,
    version === undefined ? { kind: "current" } : { kind: "exact", semver: version },
  );
}

/** A page of the organization's skills, by relevance if there is a query. An unknown organization has none. */
export async function listAsked(
  app: App,
  actor: Actor,
  org: string,
  { sort, query, ...page }: { query?: string; sort?: string; limit: number; cursor?: string },
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
