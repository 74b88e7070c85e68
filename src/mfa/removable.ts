import type { Credentials } from "../../storage/users/users.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";

/** Refuses to remove the last factor while an organization of the user requires one. Throws `refused`. */
export async function requireRemovable(app: App, user: Pick<Credentials, "_id">): Promise<void> {
  const memberships = await app.storage.memberships.listOfUser(user._id);
  const requiring = memberships.filter((one) => one.tenantFactorFrom && !one.tenantDeletionAt);
  const [first] = requiring;
  if (!first) return;
  const slugs = requiring.map(({ tenantSlug }) => tenantSlug);
  throw new ServiceError(
    "refused",
    `"${first.tenantSlug}" requires a second factor of its members, and this is your last one: add another first, ` +
      "or leave the organization.",
    { kind: "factor", organizations: slugs },
  );
}
