/** Loads collections with the access rule applied. */
import { isId } from "../../../storage/database.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SkillCollectionDoc } from "../../../storage/skills/skill-collections.ts";
import type { Actor } from "../../access/actor.ts";
import { decideCollection, type AccessContext } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { forbidden, notFound, unauthenticated } from "../../errors.ts";
import { loadAccessContexts } from "../../folders/load.ts";

/** A collection that the caller may read, with the facts of its folder. */
export interface SeenCollection {
  collection: SkillCollectionDoc;
  context: AccessContext | null;
}

export const mayUpdate = (actor: Actor, { collection, context }: SeenCollection): boolean =>
  decideCollection(actor, "update", { tenantId: collection.tenantId, context }) === "allowed";

/** Those of some collections that the actor may read, in their order. */
export async function keepReadable(
  app: App,
  actor: Actor,
  collections: readonly SkillCollectionDoc[],
): Promise<SeenCollection[]> {
  const contexts = await loadAccessContexts(app, actor, collections);
  return collections.flatMap((collection, at) => {
    const context = contexts[at] ?? null;
    const facts = { tenantId: collection.tenantId, context };
    return decideCollection(actor, "read", facts) === "allowed" ? [{ collection, context }] : [];
  });
}

/** Finds a collection of an organization by slug or id, and requires an act on it. */
export async function loadCollection(
  app: App,
  actor: Actor,
  tenant: TenantDoc,
  ref: string,
  act: "read" | "update",
): Promise<SeenCollection> {
  const { skillCollections } = app.storage;
  // A slug may look like an id.
  const collection =
    (await skillCollections.findBySlug(tenant._id, ref)) ??
    (isId(ref) ? await skillCollections.find(tenant._id, ref) : null);
  const [context = null] = collection ? await loadAccessContexts(app, actor, [collection]) : [];
  const facts = collection ? { tenantId: tenant._id, context } : undefined;
  const verdict = decideCollection(actor, act, facts);
  if (verdict === "unauthenticated") throw unauthenticated();
  if (verdict === "absent" || !collection) throw notFound("collection", ref);
  if (verdict === "refused") {
    const permission = collection.folderId === null ? "organization:update" : "folder:update in its folder";
    throw forbidden(
      `Your role, grant or token does not allow ${permission}, which a change of the collection ` +
        `"${collection.slug}" requires.`,
      { kind: "collection", ref },
    );
  }
  return { collection, context };
}

/** Collections in the order of their organization; those without a place follow, the oldest first. */
export function inOrder<T extends { _id: string }>(
  { collectionOrder = [] }: Pick<TenantDoc, "collectionOrder">,
  collections: readonly T[],
): T[] {
  const ranks = new Map(collectionOrder.map((id, rank) => [id, rank]));
  const rankOf = ({ _id }: T) => ranks.get(_id) ?? collectionOrder.length;
  return collections.toSorted((a, b) => rankOf(a) - rankOf(b) || (a._id < b._id ? -1 : 1));
}
