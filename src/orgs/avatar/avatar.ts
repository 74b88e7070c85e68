/** An organization's avatar: its bytes are stored under an id of their own before the organization names them. */
import { createHash } from "node:crypto";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent, flushEvents } from "../../audit/events.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { loadTenant } from "../service.ts";
import { makeAvatar } from "./avatar-image.ts";

/** The picture in use, for members. Throws `not_found` if there is none. */
export async function readAvatar(
  app: App,
  actor: Actor,
  tenantRef: string,
): Promise<{ id: string; etag: string; bytes: () => Promise<Buffer> }> {
  const { avatar, slug } = await loadTenant(app, actor, tenantRef, "member");
  if (!avatar) throw noAvatar(slug);
  const bytes = async () => {
    const found = await app.storage.avatars.findBytes(avatar.id);
    // Replaced between the two look-ups.
    if (!found) throw noAvatar(slug);
    return found;
  };
  return { ...avatar, bytes };
}

/** Puts a picture in the place of the one before. Throws `content_invalid` for what is none. */
export async function setAvatar(
  app: App,
  actor: Actor,
  tenantRef: string,
  read: () => Promise<Buffer>,
): Promise<TenantDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "organization:update");
  const bytes = await makeAvatar(await read());
  const id = app.newId();
  const etag = createHash("sha256").update(bytes).digest("hex");
  await app.storage.avatars.insert({ _id: id, tenantId: tenant._id, bytes, createdAt: app.now() });
  const event = makeEvent(app, actor, "organization.avatar_uploaded", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: { bytes: bytes.length },
  });
  const before = await app.storage.tenants.change(tenant._id, {
    set: { avatar: { id, etag } },
    now: app.now(),
    events: [event],
    returns: "before",
  });
  if (!before) {
    await app.storage.avatars.remove(id);
    throw notFound("organization", tenantRef);
  }
  if (before.avatar) await app.storage.avatars.remove(before.avatar.id);
  flushEvents(app, app.storage.tenants, tenant._id, [event]);
  return { ...before, avatar: { id, etag }, updatedAt: event.createdAt };
}

export async function deleteAvatar(app: App, actor: Actor, tenantRef: string): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, "organization:update");
  const event = makeEvent(app, actor, "organization.avatar_deleted", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
  });
  const before = await app.storage.tenants.change(tenant._id, {
    when: { avatar: { $exists: true } },
    unset: ["avatar"],
    now: app.now(),
    events: [event],
    returns: "before",
  });
  if (!before?.avatar) throw noAvatar(tenant.slug);
  await app.storage.avatars.remove(before.avatar.id);
  flushEvents(app, app.storage.tenants, tenant._id, [event]);
}

/** Age of a picture after which it is removed if no organization uses it, because of a crash or a race. */
const unnamedMs = 3_600_000;

export async function pruneAvatars(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - unnamedMs);
  for await (const { _id, tenantId } of app.storage.avatars.eachBefore(before)) {
    if ((await app.storage.tenants.find(tenantId))?.avatar?.id !== _id) await app.storage.avatars.remove(_id);
  }
}

function noAvatar(slug: string): ServiceError {
  return new ServiceError("not_found", `"${slug}" has no avatar.`, { kind: "organization", ref: slug });
}
