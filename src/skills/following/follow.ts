/** Following skills and folders, and the choice of mails. */
import { limits } from "../../../contract/limits.ts";
import type {
  FollowMailChoice,
  FollowMailPayload,
  FollowPayload,
} from "../../../contract/payloads/organizations/following.ts";
import type { FollowDoc } from "../../../storage/following/follows.ts";
import type { FollowSettingsDoc } from "../../../storage/following/settings.ts";
import type { Actor, UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { isVisible, loadFolder, loadFolderView } from "../../folders/load.ts";
import { requireUnrestricted, requireUser } from "../../users/load.ts";
import { keepAllowed, loadSkill } from "../load.ts";
import { defaultFollowMail, nextMailAt } from "./mail-time.ts";

/** Follows a skill that the caller may read. Following it again changes nothing. */
export async function followSkill(app: App, actor: Actor, ref: string): Promise<FollowPayload> {
  const user = requireUnrestricted(actor, "change what the account follows");
  const { _id, tenantId, tenantSlug, slug, name } = await loadSkill(app, user, ref, "skill:read", {
    follow: true,
  });
  const row = await follow(app, user, { kind: "skill", tenantId, targetId: _id });
  return present(row, { tenantSlug, path: slug, name });
}

/** Follows a folder that the caller may see, with everything in it. */
export async function followFolder(app: App, actor: Actor, folderId: string): Promise<FollowPayload> {
  const user = requireUnrestricted(actor, "change what the account follows");
  const { folder, view } = await loadFolder(app, user, folderId, "see");
  const { _id, tenantId, name } = folder;
  const row = await follow(app, user, { kind: "folder", tenantId, targetId: _id });
  return present(row, { tenantSlug: slugOf(user, tenantId), path: view.tree.path(_id), name });
}

async function follow(
  app: App,
  { userId }: UserActor,
  target: Pick<FollowDoc, "kind" | "tenantId" | "targetId">,
): Promise<FollowDoc> {
  const { follows } = app.storage;
  const own = await follows.listOfUser(userId);
  const existing = own.find(({ targetId }) => targetId === target.targetId);
  if (existing) return existing;
  if (own.length >= limits.followsPerUser)
    throw new ServiceError(
      "limit_reached",
      `You follow ${limits.followsPerUser} skills and folders, which is the maximum: unfollow one first.`,
      { limit: limits.followsPerUser },
    );
  return follows.put({ _id: app.newId(), userId, ...target, createdAt: app.now() });
}

/** Ends a follow of the caller. An id that is not one of theirs changes nothing. */
export async function unfollow(app: App, actor: Actor, id: string): Promise<void> {
  const { userId } = requireUnrestricted(actor, "change what the account follows");
  await app.storage.follows.remove(userId, [id]);
}

/**
 * Skills and folders that the caller follows and may see now, by path. Follows of folders that no longer exist are
 * removed; those of skills were removed with them.
 */
export async function listFollows(app: App, actor: Actor): Promise<FollowPayload[]> {
  const user = requireUser(actor);
  const rows = await app.storage.follows.listOfUser(user.userId);
  const ofKind = (kind: FollowDoc["kind"]) => rows.filter((row) => row.kind === kind);
  const [skills, folders] = await Promise.all([
    followedSkills(app, user, ofKind("skill")),
    followedFolders(app, user, ofKind("folder")),
  ]);
  const keyOf = ({ tenantSlug, path }: FollowPayload) => `${tenantSlug}/${path}`;
  return [...folders, ...skills]
    .toSorted((a, b) => keyOf(a).localeCompare(keyOf(b), "en"))
    .slice(0, limits.followsPerUser);
}

async function followedSkills(app: App, user: UserActor, rows: FollowDoc[]): Promise<FollowPayload[]> {
  const found = await app.storage.skills.listByIds(rows.map(({ targetId }) => targetId));
  const seen = await keepAllowed(
    app,
    user,
    "skill:read",
    found.filter(({ suspended }) => !suspended),
  );
  const byId = new Map(seen.map((skill) => [skill._id, skill]));
  return rows.flatMap((row) => {
    const skill = byId.get(row.targetId);
    return skill ? [present(row, { tenantSlug: skill.tenantSlug, path: skill.slug, name: skill.name })] : [];
  });
}

async function followedFolders(app: App, user: UserActor, rows: FollowDoc[]): Promise<FollowPayload[]> {
  const tenantIds = user.memberships.map(({ tenantId }) => tenantId);
  const lists = await Promise.all(
    tenantIds.map((tenantId) =>
      foldersOf(
        app,
        user,
        tenantId,
        rows.filter((row) => row.tenantId === tenantId),
      ),
    ),
  );
  return lists.flat();
}

async function foldersOf(
  app: App,
  user: UserActor,
  tenantId: string,
  rows: readonly FollowDoc[],
): Promise<FollowPayload[]> {
  if (rows.length === 0) return [];
  const view = await loadFolderView(app, user, tenantId);
  const gone = rows.filter(({ targetId }) => view.tree.get(targetId) === undefined);
  if (gone.length > 0)
    await app.storage.follows.remove(
      user.userId,
      gone.map(({ _id }) => _id),
    );
  return rows.flatMap((row) => {
    const folder = view.tree.get(row.targetId);
    if (!folder || !isVisible(view, row.targetId)) return [];
    const path = view.tree.path(row.targetId);
    return [present(row, { tenantSlug: slugOf(user, tenantId), path, name: folder.name })];
  });
}

const slugOf = ({ memberships }: UserActor, tenantId: string) =>
  memberships.find((one) => one.tenantId === tenantId)!.tenantSlug;

function present(
  { _id, kind, targetId, createdAt }: FollowDoc,
  named: Pick<FollowPayload, "tenantSlug" | "path" | "name">,
): FollowPayload {
  return { id: _id, kind, targetId, ...named, createdAt: createdAt.toISOString() };
}

/** When the caller gets mails about what they follow and review. */
export async function readFollowMail(app: App, actor: Actor): Promise<FollowMailPayload> {
  return presentMails(await app.storage.followSettings.find(requireUser(actor).userId));
}

export async function chooseFollowMail(
  app: App,
  actor: Actor,
  choice: FollowMailChoice,
): Promise<FollowMailPayload> {
  const { userId } = requireUnrestricted(actor, "change the mails of the account");
  return setFollowMail(app, userId, choice);
}

/** Sets the choice of a person, which also decides when the changes that wait are mailed. */
export async function setFollowMail(
  app: App,
  userId: string,
  choice: FollowMailChoice,
): Promise<FollowMailPayload> {
  const { followSettings, followedChanges } = app.storage;
  const chosen = await followSettings.choose(userId, choice);
  if (choice.mail) await followedChanges.reschedule(userId, nextMailAt(chosen, app.now()));
  return presentMails(chosen);
}

const presentMails = (settings: FollowSettingsDoc | null): FollowMailPayload => ({
  mail: settings?.mail ?? defaultFollowMail,
  reviews: settings?.reviews === true,
});

/** Removes what a former member followed in an organization. A public skill can be followed again. */
export async function removeFollowsOfMember(app: App, tenantId: string, userId: string): Promise<void> {
  const { follows, followedChanges } = app.storage;
  while ((await follows.removeOfMember(tenantId, userId)) > 0);
  while ((await followedChanges.removeOfMember(tenantId, userId)) > 0);
}
