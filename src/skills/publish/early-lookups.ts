/** Look-ups that the publish of a text by name makes at the same time as that of its organization. */
import { isId } from "../../../storage/database.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { membershipIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { loadFolderView, type FolderView } from "../../folders/load.ts";
import type { PublishSkill } from "../schema.ts";
import { nameKeyOf } from "./slug.ts";

export interface EarlyLookups {
  view: Promise<FolderView>;
  /** All skills of the name in the organization. */
  named: Promise<SkillDoc[]>;
}

/**
 * Starts the look-ups, and returns a function for the organization that was found, which may be another one than that
 * of the id. Only for members of it, so that no other caller makes the service read its folders; and only for a text,
 * since the upload of a package takes long enough for both to become outdated.
 */
export function lookUpEarly(
  app: App,
  actor: Actor,
  { tenantId, name, content, personal }: Pick<PublishSkill, "tenantId" | "name" | "content" | "personal">,
): ((tenantId: string) => EarlyLookups | undefined) | undefined {
  if (content === undefined || name === undefined || personal) return undefined;
  if (!isId(tenantId) || !membershipIn(actor, tenantId)) return undefined;
  const view = loadFolderView(app, actor, tenantId);
  const named = app.storage.skills.listByName(tenantId, nameKeyOf(name));
  // A publish that ends before it awaits them has an error of its own.
  for (const lookup of [view, named]) lookup.catch(() => undefined);
  return (found) => (found === tenantId ? { view, named } : undefined);
}
