/** The closed map from job to processor: a job without one does not compile. */
import { finishDeletion } from "../src/accounts/delete-account.ts";
import type { App } from "../src/app.ts";
import { forwardAuditLog, queueForwarding } from "../src/audit/forwarding/forward.ts";
import { removeConnectors } from "../src/connectors/remove.ts";
import { advanceEpoch } from "../src/epoch/epoch.ts";
import { mirrorCatalog } from "../src/mcp-servers/catalog/mirror.ts";
import { rotateKeys } from "../src/operations/keys/rotate-keys.ts";
import { watchConditions } from "../src/operations/notices/watch-conditions.ts";
import { mailInvitation } from "../src/orgs/invitations/mail.ts";
import { deliverWebhook } from "../src/orgs/webhooks/deliver.ts";
import type { Processors } from "../src/queue/index.ts";
import { admitInvited } from "../src/scim/users/admit.ts";
import { runScans } from "../src/skills/scan/run-scans.ts";
import { eraseSkill } from "../src/skills/settings/erase.ts";
import { pollConnections } from "../src/sync/triggers/poll.ts";
import { queueDeliveries } from "../src/webhooks/deliver-soon.ts";
import { syncWorkspaces } from "../src/workspaces/schedule.ts";
import { runInChild } from "./children.ts";
import { updateSkillAccess } from "./folders/update-effective-access.ts";
import { sendAccountMails } from "./mail/account.ts";
import { sendFollowMails } from "./mail/followed.ts";
import { countInstallDays } from "./maintenance/count-installs.ts";
import { repackRepository, maintainRepos } from "./maintenance/maintain-repos.ts";
import { purge } from "./maintenance/purge.ts";
import { reconcile } from "./maintenance/reconcile.ts";
import { countStorage } from "./orgs/count-storage.ts";
import { eraseTenant } from "./orgs/erase.ts";
import { cleanUpAfterMember } from "./orgs/member-left.ts";
import { cleanUpAfterTeam } from "./orgs/team-deleted.ts";
import { checkDomains } from "./sso/check-domains.ts";
import { checkProviders } from "./sso/check-providers.ts";
import { runConnectionInChild } from "./sync/run-in-child.ts";
import { removeWorkspace } from "./workspaces/delete.ts";

export function processors(app: App): Processors {
  return {
    "maintenance.reconcile": () => reconcile(app),
    "maintenance.purge": () => purge(app),
    "maintenance.count-installs": () => countInstallDays(app),
    "maintenance.erase-skill": (payload) => eraseSkill(app, payload),
    "maintenance.advance-epoch": () => advanceEpoch(app),
    "maintenance.watch-conditions": () => watchConditions(app),
    "maintenance.rotate-keys": () => rotateKeys(app),
    "maintenance.forget-server": ({ serverId }) => removeConnectors(app, { serverId }),
    "maintenance.erase-account": (payload) => finishDeletion(app, payload),
    "folders.update-access": ({ tenantId }) => updateSkillAccess(app, tenantId),
    "mail.invitation": ({ invitationId }) => mailInvitation(app, invitationId),
    "orgs.member-left": (payload) => cleanUpAfterMember(app, payload),
    "orgs.erase": ({ tenantId }) => eraseTenant(app, tenantId),
    "orgs.count-storage": ({ tenantId }) => countStorage(app, tenantId),
    "orgs.team-deleted": (payload) => cleanUpAfterTeam(app, payload),
    "audit.forward": ({ tenantId }) => forwardAuditLog(app, tenantId),
    "audit.queue": () => queueForwarding(app),
    "webhooks.deliver": ({ webhookId }) => deliverWebhook(app, webhookId),
    "webhooks.retry": ({ webhookId }) => deliverWebhook(app, webhookId),
    "webhooks.queue": () => queueDeliveries(app),
    "mail.account": (payload) => sendAccountMails(app, payload),
    "mail.followed": () => sendFollowMails(app),
    "workspaces.sync": ({ tenantId }) => syncWorkspaces(app, tenantId),
    "workspaces.delete": (payload) => removeWorkspace(app, payload),
    "sso.check-domains": () => checkDomains(app),
    "sso.check-providers": () => checkProviders(app),
    "sso.domain-verified": (payload) => admitInvited(app, payload),
    "scans.run": () => runScans(app),
    "catalog.mirror": () => mirrorCatalog(app),
    "sync.run": (payload) => runConnectionInChild(app, payload),
    "sync.poll-branches": () => pollConnections(app),
    "maintenance.merge-packs": async (payload) => {
      await app.repos.maintain(payload);
    },
    "maintenance.compact-repos": () => maintainRepos(app),
    "maintenance.repack": (payload) => repackRepository(app, payload),
    "maintenance.check-repos": (payload) =>
      runInChild(app, "maintenance.check-repos", payload, { maxOldSpaceMb: 512, timeoutMs: 3_600_000 }),
  };
}
