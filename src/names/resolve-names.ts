/** Names of the objects that ids refer to, as far as the caller may see them. */
import type { NamePayload } from "../../contract/payloads/organizations/names.ts";
import { isId } from "../../storage/database.ts";
import type { Actor } from "../access/actor.ts";
import { decideTenant, membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { visibleFolders } from "../folders/load.ts";
import { loadTrees } from "../folders/tree/trees.ts";
import { keepAllowed } from "../skills/load.ts";

/** In the order of the ids. An id that refers to nothing the caller may see is left out. */
export async function resolveNames(app: App, actor: Actor, given: readonly string[]): Promise<NamePayload[]> {
  const ids = [...new Set(given)].filter(isId);
  const found = await Promise.all([
    nameOrganizations(app, actor, ids),
    nameUsers(app, actor, ids),
    nameRecords(app, actor, ids),
    nameFolders(app, actor, ids),
    nameSkills(app, actor, ids),
  ]);
  const byId = new Map(found.flat().map((one) => [one.id, one]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const readsMembers = (actor: Actor, tenantId: string) =>
  decideTenant(actor, "member:read", tenantId) === "allowed";

async function nameOrganizations(app: App, actor: Actor, ids: string[]): Promise<NamePayload[]> {
  const own = ids.filter((id) => membershipIn(actor, id));
  const tenants = own.length > 0 ? await app.storage.tenants.listByIds(own) : [];
  return tenants.map(({ _id, name, slug }) => ({ id: _id, kind: "organization", name, slug }));
}

/** The caller, and members of organizations whose members the caller may list. */
async function nameUsers(app: App, actor: Actor, ids: string[]): Promise<NamePayload[]> {
  const memberships = await app.storage.memberships.listOfUsers(ids);
  const seen = new Set(
    memberships.filter(({ tenantId }) => readsMembers(actor, tenantId)).map(({ userId }) => userId),
  );
  if (actor.kind === "user" && ids.includes(actor.userId)) seen.add(actor.userId);
  const users = seen.size > 0 ? await app.storage.users.listByIds([...seen]) : [];
  return users.map(({ _id, name, username }) => ({ id: _id, kind: "user", name, slug: username }));
}

/** Teams and custom roles. */
async function nameRecords(app: App, actor: Actor, ids: string[]): Promise<NamePayload[]> {
  const [teams, roles] = await Promise.all([
    app.storage.teams.listByIds(ids),
    app.storage.roles.listByIds(ids),
  ]);
  const named = (kind: "team" | "role", records: typeof teams | typeof roles): NamePayload[] =>
    records
      .filter(({ tenantId }) => readsMembers(actor, tenantId))
      .map(({ _id, name, tenantId }) => ({ id: _id, kind, name, tenantId }));
  return [...named("team", teams), ...named("role", roles)];
}

async function nameFolders(app: App, actor: Actor, ids: string[]): Promise<NamePayload[]> {
  const folders = await app.storage.folders.listByIds(ids);
  const tenantIds = new Set(folders.map(({ tenantId }) => tenantId).filter((id) => membershipIn(actor, id)));
  const names: NamePayload[] = [];
  for (const tree of (await loadTrees(app, [...tenantIds])).values()) {
    const visible = visibleFolders({ tree, actor });
    for (const { _id, tenantId } of folders)
      if (tenantId === tree.tenantId && visible.has(_id))
        names.push({ id: _id, kind: "folder", name: tree.path(_id), tenantId });
  }
  return names;
}

async function nameSkills(app: App, actor: Actor, ids: string[]): Promise<NamePayload[]> {
  const skills = await keepAllowed(app, actor, "skill:read", await app.storage.skills.listByIds(ids));
  return skills.map(({ _id, name, slug, tenantId }) => ({ id: _id, kind: "skill", name, slug, tenantId }));
}
