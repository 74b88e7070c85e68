/** Events that an organization's webhooks report: audit events under their own names, and some that no log has. */

const groups = {
  skills: [
    "skill.created",
    "skill.created_via_import",
    "skill.updated",
    "skill.deleted",
    "skill.taken_down",
    "skill.takedown_lifted",
    "skill.deprecated",
    "skill.undeprecated",
  ],
  versions: [
    "skill.version_created",
    "skill.version_imported",
    "skill.version_reverted",
    "skill.version_deprecated",
    "skill.version_undeprecated",
    "skill.version_yanked",
    "skill.version_unyanked",
    "skill.version_held",
    "skill.version_approved",
    "skill.version_released",
    "skill.version_rejected",
    "skill.scan_overridden",
    "skill.channel_updated",
    "skill.renamed",
    "skill.slug_freed",
  ],
  folders: ["folder.created", "folder.updated", "folder.deleted", "folder.acl_updated"],
  members: [
    "organization.member_invited",
    "organization.invitation_revoked",
    "organization.invitation_declined",
    "organization.member_joined",
    "organization.auto_joined",
    "organization.member_role_updated",
    "organization.member_removed",
    "organization.member_left",
    "team.created",
    "team.updated",
    "team.deleted",
    "team.member_added",
    "team.member_removed",
  ],
  sync: [
    "repohost_sync.connect",
    "repohost_sync.update",
    "repohost_sync.disconnect",
    "repohost_sync.manual_sync",
    "sync.succeeded",
    "sync.failed",
  ],
  conflicts: ["sync.conflict"],
  findings: ["skill.findings_reported", "skill.finding_reviewed", "skill.finding_reopened"],
} as const;

export type WebhookEventGroup = keyof typeof groups;
export type WebhookEvent = (typeof groups)[WebhookEventGroup][number];
/** A message that no event has caused: a person sends it to try the receiver. */
export const webhookTest = "webhook.test";
export type WebhookMessageType = WebhookEvent | typeof webhookTest;

export const webhookEventGroups: Readonly<Record<WebhookEventGroup, readonly WebhookEvent[]>> = groups;
export const webhookEvents: readonly WebhookEvent[] = Object.values(webhookEventGroups).flat();

/** Titles of events, for chats and pages. */
export const webhookEventTitles: Readonly<Record<WebhookMessageType, string>> = {
  "skill.created": "Skill created",
  "skill.created_via_import": "Skill imported",
  "skill.updated": "Skill changed",
  "skill.deleted": "Skill deleted",
  "skill.taken_down": "Skill taken down",
  "skill.takedown_lifted": "Takedown lifted",
  "skill.deprecated": "Skill deprecated",
  "skill.undeprecated": "Deprecation of a skill removed",
  "skill.version_created": "Version published",
  "skill.version_imported": "Version imported",
  "skill.version_reverted": "Version reverted",
  "skill.version_deprecated": "Version deprecated",
  "skill.version_undeprecated": "Deprecation removed",
  "skill.version_yanked": "Version yanked",
  "skill.version_unyanked": "Version restored",
  "skill.version_held": "Version held",
  "skill.version_approved": "Version approved",
  "skill.version_released": "Version released",
  "skill.version_rejected": "Version rejected",
  "skill.scan_overridden": "Version released despite its scan",
  "skill.channel_updated": "Channel changed",
  "skill.renamed": "Skill renamed",
  "skill.slug_freed": "Slug freed",
  "folder.created": "Folder created",
  "folder.updated": "Folder changed",
  "folder.deleted": "Folder deleted",
  "folder.acl_updated": "Access to a folder changed",
  "organization.member_invited": "Member invited",
  "organization.invitation_revoked": "Invitation revoked",
  "organization.invitation_declined": "Invitation declined",
  "organization.member_joined": "Member joined",
  "organization.auto_joined": "Member joined by domain",
  "organization.member_role_updated": "Role of a member changed",
  "organization.member_removed": "Member removed",
  "organization.member_left": "Member left",
  "team.created": "Team created",
  "team.updated": "Team changed",
  "team.deleted": "Team deleted",
  "team.member_added": "Team member added",
  "team.member_removed": "Team member removed",
  "repohost_sync.connect": "Repository connected",
  "repohost_sync.update": "Connection changed",
  "repohost_sync.disconnect": "Repository disconnected",
  "repohost_sync.manual_sync": "Sync requested",
  "sync.succeeded": "Sync completed",
  "sync.failed": "Sync failed",
  "sync.conflict": "Conflict between repository and service",
  "skill.findings_reported": "Findings in a new version",
  "skill.finding_reviewed": "Finding reviewed",
  "skill.finding_reopened": "Finding reopened",
  "webhook.test": "Test message",
};

/** Forms of the messages: the JSON of Standard Webhooks, or of the incoming webhooks of a chat. */
export const webhookKinds = ["standard", "slack", "teams"] as const;
export type WebhookKind = (typeof webhookKinds)[number];

export const webhookDeliveryStates = ["pending", "delivered", "failed"] as const;
export type WebhookDeliveryState = (typeof webhookDeliveryStates)[number];

/** `failing`: its receiver has taken nothing for days; `gone`: the receiver responded with status 410. */
export const webhookDisablings = ["failing", "gone"] as const;
export type WebhookDisabling = (typeof webhookDisablings)[number];
