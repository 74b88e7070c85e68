/**
 * Audiences of marketplaces, and the skills that everyone in one may read. A client that may fetch from one sees
 * all of it, so each of its skills has to be readable by the whole audience.
 */
import { limits } from "../../../contract/limits.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SkillCollectionDoc } from "../../../storage/skills/skill-collections.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { OfferedSkill } from "../../../storage/skills/tenant-skills.ts";
import type { Actor } from "../../access/actor.ts";
import { isAllowedIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import { loadTree } from "../../folders/tree/trees.ts";
import { loadTenant } from "../../orgs/service.ts";
import { loadPublicTenant } from "../../skills/catalog/public-organization.ts";
import { loadCollection } from "../../skills/collections/load.ts";
import { keepAllowed } from "../../skills/load.ts";
import { renamesOf, type Renames } from "./renames.ts";

/** The marketplace that an address names. */
export type MarketplaceRef =
  | { kind: "public"; org: string }
  | { kind: "members"; org: string }
  | { kind: "collection"; org: string; collection: string };

/** A marketplace, and who may fetch from it: anyone, the members, or the readers of a folder. */
export interface Audience {
  tenant: TenantDoc;
  /** `public`, `members`, or the id of a collection. */
  key: string;
  collection?: SkillCollectionDoc;
  isPublic: boolean;
}

/** The content of a marketplace as it should be. */
export interface Offer {
  renames: Renames | undefined;
  /** The latest change first. */
  skills: OfferedSkill[];
  /** Skills of the collection that some of its readers could not read. */
  leftOut: OfferedSkill[];
}

/**
 * The audience of an address, if the actor belongs to it. Throws `not_found` and `unauthenticated` as reads of skills
 * do: what is not public looks the same to strangers as what does not exist.
 */
export async function loadAudience(app: App, actor: Actor, ref: MarketplaceRef): Promise<Audience> {
  if (ref.kind === "public")
    return { tenant: await loadPublicTenant(app, ref.org), key: "public", isPublic: true };
  if (ref.kind === "collection") {
    const open = await findPublicCollection(app, ref);
    if (open) return open;
  }
  const tenant = await loadTenant(app, actor, ref.org, "member");
  if (ref.kind === "members") return { tenant, key: "members", isPublic: false };
  const { collection } = await loadCollection(app, actor, tenant, ref.collection, "read");
  return { tenant, key: collection._id, collection, isPublic: false };
}

/** Undefined if the collection is not public, or has no public skill. */
async function findPublicCollection(
  app: App,
  ref: { org: string; collection: string },
): Promise<Audience | undefined> {
  const tenant = await app.storage.tenants.findBySlug(ref.org);
  if (!tenant || tenant.deletionAt) return undefined;
  const collection = await app.storage.skillCollections.findBySlug(tenant._id, ref.collection);
  if (!collection?.isPublic || collection.folderId !== null) return undefined;
  const audience = { tenant, key: collection._id, collection, isPublic: true };
  const { skills } = await readOffer(app, audience);
  return skills.length > 0 ? audience : undefined;
}

/** The skills that everyone in the audience may read now. */
export async function readOffer(app: App, audience: Audience): Promise<Offer> {
  const { tenant, collection, isPublic } = audience;
  const which = collection ? collection.skillIds : isPublic ? "listed" : "unrestricted";
  const all = await app.storage.tenantSkills.listOffered(tenant._id, which, limits.skillsPerMarketplace);
  const readable = await keepReadable(app, audience, all);
  const skills = withinSize(readable);
  return {
    skills,
    renames: await renamesOf(
      app,
      tenant,
      skills.filter((skill) => !isTextRule(skill)).map(({ _id: id, slug }) => ({ id, slug })),
      { isPublic, withDeleted: isPublic && !collection },
    ),
    leftOut: collection ? all.filter((skill) => !readable.includes(skill)) : [],
  };
}

/** Whether a skill is a rule, for which few tools have a place. A package is a folder for every tool. */
export const isTextRule = ({
  type,
  current,
}: Pick<SkillDoc, "type"> & { current: Pick<SkillDoc["current"], "format"> }): boolean =>
  type === "rule" && current.format === "markdown";

/** Clients get all of them, so they have the size limits of an index. The latest changes come first. */
function withinSize(skills: OfferedSkill[]): OfferedSkill[] {
  let bytes = 0;
  return skills.filter(({ current: { totalBytes } }) => {
    if (totalBytes > limits.indexedSkillBytes || bytes + totalBytes > limits.indexedBytes) return false;
    bytes += totalBytes;
    return true;
  });
}

/** The skills of these ids; undefined unless everyone in the audience may read all of them. */
export async function listReadable(
  app: App,
  audience: Audience,
  ids: string[],
): Promise<OfferedSkill[] | undefined> {
  if (ids.length === 0) return [];
  const found = await app.storage.tenantSkills.listOffered(audience.tenant._id, ids, ids.length);
  const readable = await keepReadable(app, audience, found);
  return readable.length === ids.length ? readable : undefined;
}

async function keepReadable(
  app: App,
  { tenant, collection, isPublic }: Audience,
  skills: OfferedSkill[],
): Promise<OfferedSkill[]> {
  if (isPublic) {
    const open = await keepAllowed(app, visitor, "skill:read", skills);
    return open.filter(({ visibility }) => visibility === "public");
  }
  const tree = await loadTree(app, tenant._id);
  const restrictionOf = (folderId: string | null) =>
    folderId === null ? null : tree.effectiveRestriction(folderId);
  const around = collection ? restrictionOf(collection.folderId) : null;
  return skills.filter(({ folderId }) => [null, around].includes(restrictionOf(folderId)));
}

const visitor: Actor = {
  kind: "anonymous",
  origin: { ipHash: undefined, source: "api", client: "api" },
};

/**
 * A member of the audience may have a token that is limited to less than the audience may read. Throws `forbidden`.
 */
export async function requireWhole(
  app: App,
  actor: Actor,
  audience: Audience,
  { skills }: Offer,
): Promise<void> {
  const { tenant, key, isPublic } = audience;
  const isWhole =
    isPublic ||
    (key === "members"
      ? isAllowedIn(actor, "skill:read", tenant._id, null)
      : (await keepAllowed(app, actor, "skill:read", skills)).length === skills.length);
  if (!isWhole)
    throw forbidden(
      "Your role or token can't read every skill of this marketplace: use a token with skill:read that is not " +
        "limited to folders or skills.",
    );
}
