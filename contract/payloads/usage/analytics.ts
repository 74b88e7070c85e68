/** Downloads of a skill and of an organization, and reported installs, as they cross the wire. */
import { z } from "zod";
import { installScopes, targets } from "../../vocabulary.ts";

export const AnalyticsPayload = z
  .object({
    total: z.number().int(),
    last7Days: z.number().int(),
    last30Days: z.number().int(),
    previous: z.number().int().meta({ description: "downloads in as many days before those of `daily`" }),
    daily: z.array(
      z.object({ date: z.iso.date(), cli: z.number().int(), web: z.number().int(), api: z.number().int() }),
    ),
  })
  .meta({ id: "Analytics" });
export type AnalyticsPayload = z.infer<typeof AnalyticsPayload>;

export const SkillAnalyticsPayload = AnalyticsPayload.extend({
  versions: z
    .array(z.object({ version: z.number().int(), semver: z.string(), downloads: z.number().int() }))
    .meta({ description: "the versions that were downloaded most over `days`, at most 50" }),
}).meta({ id: "SkillAnalytics" });
export type SkillAnalyticsPayload = z.infer<typeof SkillAnalyticsPayload>;

const installs = z.number().int().meta({ description: "install locations of members" });

export const InstallSummaryPayload = z
  .object({
    installs,
    outdated: installs.meta({
      description: "those with a version other than the current one, or than that of their channel",
    }),
    versions: z.array(
      z.object({
        version: z.number().int(),
        semver: z.string(),
        installs,
        outdated: z.boolean().meta({ description: "whether installs with it are outdated" }),
        deprecated: z.string().optional(),
        yanked: z.literal(true).optional(),
      }),
    ),
    reach: z
      .object({
        unknown: installs.meta({ description: "reported without a pin" }),
        pinned: installs.meta({ description: "pinned to one version" }),
        channels: installs.meta({ description: "pinned to a channel, which no release moves" }),
        patch: installs,
        minor: installs,
        major: installs,
      })
      .meta({ description: "installs whose pin admits the next patch, minor or major release" }),
  })
  .meta({ id: "InstallSummary" });
export type InstallSummaryPayload = z.infer<typeof InstallSummaryPayload>;

export const TenantAnalyticsPayload = z
  .object({
    ...AnalyticsPayload.shape,
    top: z
      .array(
        z.object({
          skill: z.object({ id: z.string(), publicId: z.string(), slug: z.string(), name: z.string() }),
          downloads: z.number().int(),
        }),
      )
      .meta({ description: "the skills that were downloaded most over `days`" }),
    skills: z.number().int().meta({ description: "skills that the caller may read" }),
    installs: z.number().int().meta({ description: "install locations of members with one of them" }),
  })
  .meta({ id: "OrganizationAnalytics" });
export type TenantAnalyticsPayload = z.infer<typeof TenantAnalyticsPayload>;

export const namedSkill = z.object({
  id: z.string(),
  publicId: z.string(),
  slug: z.string(),
  name: z.string(),
});

export const TenantUsagePayload = z
  .object({
    days: z
      .number()
      .int()
      .meta({ description: "time without a download after which a skill counts as unused" }),
    isComplete: z.boolean().meta({ description: "false beyond 20,000 skills or installed versions" }),
    unused: z.object({
      count: z.number().int(),
      skills: z
        .array(z.object({ skill: namedSkill, downloads: z.number().int(), updatedAt: z.iso.datetime() }))
        .meta({ description: "the first 20, least recently changed first" }),
    }),
    outdated: z.object({
      installs: z
        .number()
        .int()
        .meta({ description: "install locations with a version other than the current one" }),
      skills: z
        .array(
          z.object({
            skill: namedSkill,
            current: z.string().meta({ description: "semver that installs resolve to" }),
            installs: z.number().int(),
            outdated: z.number().int(),
          }),
        )
        .meta({ description: "the 20 with the most outdated installs" }),
    }),
    releases: z
      .array(
        z.object({
          skill: namedSkill,
          semver: z.string(),
          releasedAt: z.iso.datetime(),
          installs: z.number().int(),
          adopted: z.number().int().meta({ description: "install locations that are not outdated" }),
        }),
      )
      .meta({ description: "current versions of installed skills, the latest 20 releases" }),
    cost: z.object({
      idle: z.number().int().meta({
        description: "estimated tokens of all names and descriptions, which agents keep in their context",
      }),
      skills: z
        .array(z.object({ skill: namedSkill, idle: z.number().int() }))
        .meta({ description: "the 20 that cost the most" }),
    }),
  })
  .meta({ id: "OrganizationUsage" });
export type TenantUsagePayload = z.infer<typeof TenantUsagePayload>;

export const UninstalledSkillsPayload = z
  .object({
    days: z.number().int().meta({ description: "time without an install or an update" }),
    isComplete: z.boolean().meta({ description: "false beyond 20,000 skills" }),
    skillIds: z.array(z.string()).meta({ description: "skills that existed before, in no order" }),
  })
  .meta({ id: "UninstalledSkills" });
export type UninstalledSkillsPayload = z.infer<typeof UninstalledSkillsPayload>;

export const RecordedInstallPayload = z
  .object({
    recorded: z.boolean().meta({
      description: "false for callers who are no members of its organization: nothing is stored",
    }),
  })
  .meta({ id: "RecordedInstall" });
export type RecordedInstallPayload = z.infer<typeof RecordedInstallPayload>;

const installedVersion = {
  platform: z.enum(targets),
  scope: z.enum(installScopes),
  version: z.number().int(),
  semver: z.string(),
  updateAvailable: z.boolean().meta({ description: "installs resolve to another version now" }),
  installedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

export const SkillInstallPayload = z
  .object({
    id: z.string(),
    user: z.object({ id: z.string(), username: z.string(), name: z.string() }),
    ...installedVersion,
  })
  .meta({ id: "SkillInstall" });
export type SkillInstallPayload = z.infer<typeof SkillInstallPayload>;

export const MemberInstallPayload = z
  .object({
    id: z.string(),
    skill: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
    ...installedVersion,
  })
  .meta({ id: "MemberInstall" });
export type MemberInstallPayload = z.infer<typeof MemberInstallPayload>;

export const OwnInstallPayload = z
  .object({
    id: z.string(),
    skill: z.object({
      id: z.string(),
      publicId: z.string(),
      slug: z.string(),
      tenantSlug: z.string(),
      name: z.string(),
    }),
    machine: z.string(),
    idleTokens: z.number().int().meta({
      description:
        "estimated tokens of the skill's name and description, which the tool keeps in its context",
    }),
    ...installedVersion,
  })
  .meta({ id: "OwnInstall" });
export type OwnInstallPayload = z.infer<typeof OwnInstallPayload>;
