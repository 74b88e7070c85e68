/** Reports of groups that are not known: to the log, to the page of the provider and to the owners. */
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SsoSubject } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { mailOwners } from "../../orgs/owner-mails.ts";

const messages = {
  overage:
    "The person is in more groups than the provider sends or the service reads, so no team was changed. Let the " +
    "provider send only the groups that are assigned to this application, or provision groups with SCIM.",
  unread:
    "The user info of the provider, which may have the groups, could not be read, so no team was changed.",
} as const;

/** Reason and message of a sign-in whose groups are not known. Undefined for others. */
export const groupsNote = ({ groupsProblem }: Pick<SsoSubject, "groupsProblem">) =>
  groupsProblem && { reason: `groups-${groupsProblem}`, message: messages[groupsProblem] };

/** Records a sign-in with too many groups, and mails the owners if teams depend on groups: once in a month. */
export async function reportOverage(
  app: App,
  provider: SsoProviderDoc,
  { slug }: Pick<TenantDoc, "slug">,
): Promise<void> {
  const now = app.now();
  const { ssoProviders } = app.storage;
  await ssoProviders.noteGroupsOverage(provider._id, now);
  const warning = `groups:${now.toISOString().slice(0, 7)}`;
  if (provider.groupMappings.length === 0 || provider.warned?.includes(warning)) return;
  const text =
    `The identity provider "${provider.name}" of "${slug}" did not send the groups of a person who signed in, or sent ` +
    "more than the service reads: they are too many. Their teams stay as they are.";
  // The mail first: a crash in between sends a second one, rather than none.
  await mailOwners(app, provider.tenantId, "sso-groups", {
    id: `${provider._id}.${warning}`,
    organization: { slug, text },
  });
  await ssoProviders.noteWarning(provider._id, warning);
}
