/** Lists and search: the catalog of public skills, and the skills of the caller's organizations. */
import { z } from "zod";
import type { SearchSort } from "../../../contract/vocabulary.ts";
import type { TreeState } from "../../../storage/folders/folders.ts";
import {
  sortFields,
  type ListedSkill,
  type SkillQuery,
  type SkillSort,
} from "../../../storage/search/skills.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor, Membership } from "../../access/actor.ts";
import { readableTenants } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { invalidRequest, notFound } from "../../errors.ts";
import { readableScope } from "../../folders/access/scope.ts";
import { loadFolder } from "../../folders/load.ts";
import type { FolderTree } from "../../folders/tree/tree.ts";
import { cachedTrees, haveRevisions, loadTrees } from "../../folders/tree/trees.ts";
import { decodeCursor, encodeCursor } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { findServer } from "../../mcp-servers/load.ts";
import { refuseUnproved } from "../../users/requirements.ts";
import { ownWorkspaceFolders } from "../../workspaces/own.ts";
import { keepAllowed, withActs, type SeenSkill } from "../load.ts";
import { ownersNamed } from "../owner-teams.ts";
import { indexPending } from "../projection.ts";
import { rankedPage, type RankedPage } from "./ranked-page.ts";
import { tagsOf, type ExploreQuery, type ListQuery } from "./schema.ts";

/** Sort order, and sort value and id of the last item. The maximum of a date is 8.64e15 ms. */
const Cursor = z.tuple([
  z.enum(Object.keys(sortFields) as [SkillSort, ...SkillSort[]]),
  z.number().int().min(0).max(8.64e15),
  z.string().max(64),
]);

/** Public skills of every organization. Does not require signing in. */
export async function exploreSkills(app: App, actor: Actor, input: ExploreQuery): Promise<Page<SkillDoc>> {
  const [tenantId] = await Promise.all([
    tenantOfCatalog(app, input.tenant),
    input.query && indexPending(app, readableTenants(actor)),
  ]);
  if (tenantId === null) return new Page<SkillDoc>([], null);
  // The catalog is the same for every caller.
  const visitor: Actor = { kind: "anonymous", origin: actor.origin };
  const scope = { kind: "catalog", tenantId } as const;
  const { type } = input;
  const tags = tagsOf(input);
  if (input.query)
    return skillsOf(
      await rankedPage(app, visitor, { query: input.query, scopes: [scope], type, tags }, inOrder(input)),
    );
  const sort = input.sort === undefined || input.sort === "relevance" ? "updated" : input.sort;
  return listPage(app, visitor, { scope, type, tags, sort }, input, async (slice) => ({
    listed: await app.storage.skillSearch.list(slice),
  }));
}

/** A search is in the order of relevance unless another is requested. */
const inOrder = <T extends { sort?: SearchSort }>({ sort = "relevance", ...page }: T) => ({ ...page, sort });

const skillsOf = ({ hits, nextCursor }: RankedPage): Page<SeenSkill> =>
  new Page(
    hits.map(({ skill }) => skill),
    nextCursor,
  );

/** Id that no organization has. */
const noTenant = "0".repeat(24);

/**
 * Public skills of an organization, for anyone, the latest first. An organization that does not exist has none, after
 * the same queries.
 */
export async function listPublicSkillsOf(
  app: App,
  visitor: Actor,
  org: string,
  page: { limit: number; cursor?: string },
): Promise<Page<SkillDoc>> {
  const tenant = await app.storage.tenants.findBySlug(org);
  const scope = { kind: "catalog", tenantId: tenant?._id ?? noTenant } as const;
  return listPage(app, visitor, { scope, sort: "updated" }, page, async (slice) => ({
    listed: await app.storage.skillSearch.list(slice),
  }));
}

/** The caller's organization of this id, slug or previous slug. */
export async function findOwn(app: App, actor: Actor, ref: string): Promise<Membership | undefined> {
  if (actor.kind === "anonymous") return undefined;
  const own = actor.memberships.find((m) => m.tenantId === ref || m.tenantSlug === ref);
  if (own) return own;
  const previous = await app.storage.tenants.findBySlug(ref);
  return actor.memberships.find((m) => m.tenantId === previous?._id);
}

/** Skills that the caller may read in their own organizations, or in one of them. */
export async function listSkills(app: App, actor: Actor, input: ListQuery): Promise<Page<SeenSkill>> {
  let tenantIds = actor.kind === "anonymous" ? [] : actor.memberships.map((m) => m.tenantId);
  if (input.tenant_id !== undefined) {
    const ref = input.tenant_id;
    const own = await findOwn(app, actor, ref);
    if (!own) {
      refuseUnproved(actor, ref);
      throw notFound("organization", ref);
    }
    tenantIds = [own.tenantId];
  }
  if (input.folder_id !== undefined && input.folder_id !== "root")
    await loadFolder(app, actor, input.folder_id, "see");
  const required =
    input.mcp_server === undefined ? undefined : (await findServer(app, actor, input.mcp_server)).server;
  const readable = readableTenants(actor).filter((id) => tenantIds.includes(id));
  const ownerTeamIds = await ownersNamed(app, readable, input.owner_team);
  if (ownerTeamIds?.length === 0) return new Page<SeenSkill>([], null);
  const request = { ...input, requiredServerId: required?._id, ownerTeamIds };
  if (input.query) {
    const scope = await ownScope(app, actor, readable, input.personal);
    const conditions = conditionsOf(request);
    if (scope.tenants.length === 0) return new Page<SeenSkill>([], null);
    return skillsOf(
      await rankedPage(app, actor, { query: input.query, scopes: [scope], ...conditions }, inOrder(input)),
    );
  }
  // Most lists are complete with the cached trees, which the query of the skills compares with the stored ones.
  const trees = cachedTrees(app, readable);
  return (
    (trees && (await listOwn(app, actor, request, { readable, trees }))) ??
    (await listOwn(app, actor, request, {
      readable,
      trees: await loadTrees(app, readable),
      areCurrent: true,
    }))!
  );
}

/** Organizations to list, with their trees. `areCurrent`: the trees were read for this request. */
interface OwnOrganizations {
  readable: string[];
  trees: ReadonlyMap<string, FolderTree>;
  areCurrent?: true;
}

type ListRequest = ListQuery & Pick<SkillQuery, "requiredServerId" | "ownerTeamIds">;

/** The skills that the caller may read in their organizations, after all their changes are indexed. */
export async function ownScope(
  app: App,
  actor: Actor,
  readable: string[],
  isPersonal = false,
): Promise<Readable> {
  const [trees] = await Promise.all([loadTrees(app, readable), indexPending(app, readable)]);
  const scope = readableScope(actor, readable, trees);
  return isPersonal ? narrowToOwn(app, actor, scope) : scope;
}

const conditionsOf = (input: ListRequest) => ({
  type: input.type,
  visibility: input.visibility,
  tags: tagsOf(input),
  folderId: input.folder_id === undefined ? undefined : input.folder_id === "root" ? null : input.folder_id,
  requiredServerId: input.requiredServerId,
  ownerTeamIds: input.ownerTeamIds,
});

/** Undefined if the trees were outdated. */
async function listOwn(
  app: App,
  actor: Actor,
  input: ListRequest,
  { readable, trees, areCurrent }: OwnOrganizations,
): Promise<Page<SeenSkill> | undefined> {
  const revisions = new Map([...trees].map(([tenantId, { revision }]) => [tenantId, revision]));
  const readableOnly = readableScope(actor, readable, trees);
  const scope = input.personal ? await narrowToOwn(app, actor, readableOnly) : readableOnly;
  if (!areCurrent && (input.personal || scope.tenants.length === 0)) return undefined;
  if (scope.tenants.length === 0) return new Page<SkillDoc>([], null);
  const query = { scope, ...conditionsOf(input), sort: "updated" } as const;
  return listPage(app, actor, query, input, async (slice) => {
    if (input.personal) return { listed: await app.storage.skillSearch.list(slice) };
    const found = await app.storage.skillSearch.listWithTrees(slice, readable);
    return areCurrent || haveRevisions(found.trees, revisions) ? found : undefined;
  });
}

interface ReadRows {
  listed: ListedSkill[];
  trees?: TreeState[];
}

type Readable = ReturnType<typeof readableScope>;

/** Restricts a scope to the caller's own workspaces. */
async function narrowToOwn(app: App, actor: Actor, { kind, tenants }: Readable): Promise<Readable> {
  const own = await ownWorkspaceFolders(
    app,
    actor,
    tenants.map((scope) => scope.tenantId),
  );
  const narrowed = tenants.map((scope) => {
    const folderIds = own.get(scope.tenantId) ?? [];
    const { folderIds: allowed } = scope;
    return {
      ...scope,
      folderIds: allowed ? folderIds.filter((id) => allowed.includes(id)) : folderIds,
    };
  });
  return {
    kind,
    tenants: narrowed.filter((scope) => scope.folderIds.length > 0),
  };
}

/**
 * A page of the skills that the query finds and the access decision allows. The two differ only while the effective
 * access of skills is updated after a change of a restriction; further reads then fill up the page. `read`: the rows,
 * and the states of their trees if they were read together or later; undefined ends the list without a result.
 */
export async function listPage<R extends ReadRows | undefined>(
  app: App,
  actor: Actor,
  query: Omit<SkillQuery, "limit" | "after">,
  page: { limit: number; cursor?: string },
  read: (slice: SkillQuery) => Promise<R>,
): Promise<Page<SeenSkill> | Extract<R, undefined>> {
  const last = decodeCursor(page.cursor, Cursor);
  if (last && last[0] !== query.sort)
    throw invalidRequest("The cursor belongs to another order of this list.");
  let after = last && {
    value: query.sort === "downloads" ? last[1] : new Date(last[1]),
    id: last[2],
  };
  const items: ListedSkill[] = [];
  let trees: TreeState[] | undefined;
  for (;;) {
    const limit = page.limit + 1 - items.length;
    const found = await read({ ...query, after, limit });
    if (!found) return found as Extract<R, undefined>;
    const rows = found.listed;
    trees = found.trees;
    const readable = new Set(
      await keepAllowed(
        app,
        actor,
        "skill:read",
        rows.map((row) => row.skill),
        found.trees,
      ),
    );
    items.push(...rows.filter((row) => readable.has(row.skill)));
    const end = rows.at(-1);
    if (!end || rows.length < limit || items.length > page.limit) break;
    after = { value: end.value, id: end.skill._id };
  }
  const shown = items.slice(0, page.limit);
  const next = items.length > shown.length ? cursorAfter(shown.at(-1)!, query.sort) : null;
  const skills = shown.map((item) => item.skill);
  // The catalog shows no acts, and its skills need no trees.
  return new Page(actor.kind === "anonymous" ? skills : await withActs(app, actor, skills, trees), next);
}

/** Undefined for all organizations; null for a slug without an organization, which looks like one without skills. */
export async function tenantOfCatalog(
  app: App,
  slug: string | undefined,
): Promise<string | undefined | null> {
  if (slug === undefined) return undefined;
  const tenant = await app.storage.tenants.findBySlug(slug);
  return tenant && !tenant.deletionAt ? tenant._id : null;
}

export function cursorAfter({ skill, value }: ListedSkill, sort: SkillSort): string {
  return encodeCursor([sort, Number(value), skill._id]);
}
