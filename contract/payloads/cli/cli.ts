/**
 * The documents of `svc -o json`, closed: a field that is not named here fails a test. Within a major version of the
 * client, fields are only added; consumers ignore unknown ones. Comments mark additions to the specification.
 */
import { z } from "zod";
import { cliCodes, failureKinds } from "../../errors.ts";
import { flaggedVerdicts } from "../../scan/policy.ts";
import { scanStates, scanVerdicts } from "../../scan/report.ts";
import { driftKinds, installScopes, removalReasons, targets, versionStates } from "../../vocabulary.ts";
import { cliContentPayloads } from "./content.ts";
import {
  ciOrigin,
  text,
  integer,
  count,
  timestamp,
  semver,
  skillType,
  visibility,
  format,
  warnings,
  skipped,
  exposure,
  reach,
  dryRun,
  failedTargets,
  uneditable,
  installationRecord,
  kept,
  marks,
  skill,
  version,
  skillHead,
  current,
  publisher,
  notRevoked,
} from "./fields.ts";
import { cliMcpPayloads } from "./mcp.ts";
import { cliOperationPayloads } from "./operations.ts";
import { cliOrganizationPayloads } from "./organizations.ts";
import { cliPublishPayloads } from "./publish.ts";
import { cliSkillPayloads } from "./skills.ts";
import { cliUpgradePayloads } from "./upgrade.ts";

const pulled = {
  outcome: z.enum(["updated", "upToDate", "repaired", "partial", "failed"]),
  fromVersion: integer.optional(),
  /** Ours. */
  fromSemver: semver.optional(),
  toVersion: integer.optional(),
  toSemver: semver.optional(),
  /** Ours: the installed version was rejected or found malicious after it was published. */
  remove: z.strictObject({ semver, reason: z.enum(removalReasons), command: text }).optional(),
  warnings,
};

/** By command; groups by `group.command`, forms of one command in camel case behind it. */
export const cliPayloads = {
  /** With a token of an organization. */
  whoamiOrganization: z.strictObject({
    organization: z.strictObject({ tenantId: text, slug: text, name: text }),
    memberships: z.array(z.strictObject({ tenantId: text, slug: text, name: text })),
    pendingInvitations: z.array(z.never()),
    token: z
      .strictObject({
        name: text,
        scopes: z.record(z.string(), z.array(text)).nullable(),
        expiresAt: timestamp.optional(),
      })
      .optional(),
  }),
  whoami: z.strictObject({
    username: text,
    name: text,
    email: text,
    memberships: z.array(z.strictObject({ tenantId: text, slug: text, name: text })),
    pendingInvitations: z.array(
      z.strictObject({
        id: text,
        organizationId: text,
        organizationName: text,
        organizationSlug: text,
        expiresAt: timestamp,
      }),
    ),
  }),
  login: z.strictObject({
    method: z.enum(["token", "oidc"]),
    user: z.strictObject({ username: text, name: text, email: text }).optional(),
    expiresAt: timestamp.optional(),
  }),
  loginPending: z.strictObject({
    status: z.literal("pending"),
    verificationUrl: z.url(),
    userCode: text,
    expiresIn: integer,
  }),
  loginAuthenticated: z.strictObject({
    status: z.literal("authenticated"),
    user: z.strictObject({ username: text, name: text, email: text }).optional(),
  }),
  logout: z.strictObject({ loggedOut: z.literal(true), ...notRevoked }),
  list: z.array(skill),
  listPublic: z.array(
    z.strictObject({
      publicId: text,
      slug: text,
      ...publisher,
      name: text,
      description: z.string(),
      type: skillType,
      tags: z.array(text),
      ...current,
      author: z.strictObject({ name: text, username: text }).nullable(),
      downloads: z.number().int().nonnegative(),
      deprecated: marks.deprecated,
    }),
  ),
  /** Each skill's pin and number of targets. */
  listInstalled: z.array(
    z.strictObject({
      publicId: text,
      slug: text,
      ...publisher,
      name: text,
      type: skillType,
      format,
      installName: text,
      version: integer,
      semver,
      pin: text,
      targetCount: integer,
      installed: z.array(installationRecord),
    }),
  ),
  ...cliSkillPayloads,
  ...cliUpgradePayloads,
  ...cliOperationPayloads,
  ...cliOrganizationPayloads,
  ...cliPublishPayloads,
  ...cliMcpPayloads,
  versions: z.array(
    z.strictObject({
      ...version,
      /** Absent from services of earlier versions. */
      state: z.enum(versionStates).optional(),
      deprecated: marks.deprecated,
      yankReason: text.optional(),
      /** That of its scan, if the organization warns about it. */
      verdict: z.enum(flaggedVerdicts).optional(),
      current: z.boolean(),
      /** Channels that point to it. */
      channels: z.array(text),
      origin: ciOrigin.optional(),
    }),
  ),
  install: z.strictObject({
    skill: z.strictObject({ ...skillHead, ...current, ...publisher }),
    version: integer,
    semver,
    requestedRange: text,
    format,
    installName: text,
    installed: z.array(installationRecord),
    skipped,
    /** Ours: targets whose path could not be written. */
    failed: failedTargets,
    requiredMcpServers: z.array(z.strictObject({ tenantSlug: text, slug: text, installed: z.boolean() })),
    /** Ours: absent if the service reports none. */
    scan: z.strictObject({ state: z.enum(scanStates), verdict: z.enum(scanVerdicts).optional() }).optional(),
    warnings,
    dryRun,
  }),
  uninstall: z.strictObject({
    skill: z.strictObject({ installName: text, publicId: text, slug: text, ...publisher }),
    removed: z.array(installationRecord),
    failed: failedTargets,
    kept,
    purged: z.boolean(),
    warnings,
    dryRun,
  }),
  pull: z.strictObject({
    /** Ours: required skills that were missing, with `--team`. */
    required: z
      .array(
        z.strictObject({
          publicId: text,
          slug: text,
          ...publisher,
          outcome: z.enum(["installed", "failed"]),
          semver: semver.optional(),
          warnings,
        }),
      )
      .optional(),
    skills: z.array(
      z.strictObject({
        publicId: text,
        slug: text,
        ...publisher,
        ...pulled,
        /** Ours: the user level, and each project. */
        scopes: z.array(
          z.strictObject({ scope: z.enum(installScopes), projectDir: text.optional(), ...pulled }),
        ),
      }),
    ),
    kept,
    summary: z.strictObject({
      updated: z.number().int(),
      upToDate: z.number().int(),
      failed: z.number().int(),
    }),
    dryRun,
  }),
  share: z.strictObject({
    skill: z.strictObject({ publicId: text, slug: text, name: text }),
    url: z.url(),
    installCommand: text,
    identity: z.strictObject({ username: text, tenantSlug: text, anonymous: z.boolean() }),
    warnings,
  }),
  /** Ours: what the anonymous identity shares, and how it makes room. */
  shareList: z.array(
    z.strictObject({
      publicId: text,
      slug: text,
      name: text,
      type: skillType,
      ...current,
      url: z.url(),
      installCommand: text,
      updatedAt: timestamp,
      takedown: z.strictObject({ reason: text, at: timestamp }).optional(),
    }),
  ),
  shareDelete: z.strictObject({
    skill: z.strictObject({ publicId: text, slug: text, name: text }),
    deleted: z.literal(true),
  }),
  move: z.strictObject({
    skill: z.strictObject({ id: text, slug: text, name: text, tenantId: text, ...publisher }),
    from: z.strictObject({ folderId: text.nullable() }),
    to: z.strictObject({ folderId: text.nullable(), path: z.string() }),
    moved: z.boolean(),
    exposure: exposure.optional(),
    dryRun,
    reach,
  }),
  visibility: z.strictObject({
    skill: z.strictObject({ publicId: text, slug: text, ...publisher, name: text, visibility }),
    from: visibility,
    to: visibility,
    exposure: exposure.optional(),
  }),
  "folders.list": z.array(
    z.strictObject({
      id: text,
      parentId: text.nullable(),
      name: text,
      slug: text,
      path: text,
      skillCount: count,
    }),
  ),
  "folders.create": z.strictObject({ path: text, created: z.array(text), alreadyExisted: z.boolean() }),
  "profile.list": z.array(
    z.strictObject({
      name: text,
      active: z.boolean(),
      activeViaOverride: z.boolean(),
      isDefault: z.boolean(),
      authenticated: z.boolean(),
      skillCount: count,
    }),
  ),
  "profile.create": z.strictObject({ name: text, created: z.literal(true) }),
  "profile.switch": z.strictObject({ name: text, switched: z.literal(true) }),
  "profile.delete": z.strictObject({ name: text, deleted: z.literal(true), warnings }),
  restore: z.strictObject({
    project: text,
    skills: z.array(
      z.strictObject({
        skill: text,
        publicId: text,
        ...publisher,
        installName: text,
        outcome: z.enum(["installed", "updated", "repaired", "upToDate", "partial", "failed"]),
        version: integer,
        semver,
        installed: z.array(installationRecord),
        skipped,
        failed: failedTargets,
        warnings,
      }),
    ),
    /** Installed in the project, and not in its lock. */
    unlocked: z.array(
      z.strictObject({
        installName: text,
        publicId: text,
        slug: text,
        ...publisher,
        targets: z.array(z.enum(targets)),
      }),
    ),
    summary: z.strictObject({ restored: count, upToDate: count, failed: count }),
    warnings,
    dryRun,
  }),
  verify: z.strictObject({
    ok: z.boolean(),
    project: text.optional(),
    /** A lock exists and was compared with the installed skills. */
    locked: z.boolean(),
    checked: z.strictObject({ skills: count, places: count }),
    drift: z.array(
      z.strictObject({
        kind: z.enum(driftKinds),
        skill: text,
        platform: z.enum(targets).optional(),
        path: text.optional(),
        message: text,
      }),
    ),
    /** With --provenance: the signed origins. */
    origins: z
      .array(z.strictObject({ skill: text, semver, origin: text, builder: text.optional() }))
      .optional(),
  }),
  diff: z.strictObject({
    skill: z.strictObject({ publicId: text, slug: text, ...publisher, name: text }),
    from: integer,
    to: integer,
    fromSemver: semver,
    toSemver: semver,
    files: z.array(
      z.strictObject({
        path: text,
        status: z.enum(["added", "removed", "modified"]),
        binary: z.boolean(),
        truncated: z.boolean(),
        additions: count,
        deletions: count,
        /** Empty for what is not compared, and with `--stat`. */
        hunks: z.array(
          z.strictObject({
            oldStart: count,
            oldLines: count,
            newStart: count,
            newLines: count,
            lines: z.array(z.string()),
          }),
        ),
      }),
    ),
  }),
  ...cliContentPayloads,
  completion: z.strictObject({ shell: z.enum(["bash", "zsh", "fish"]), script: text }),
  /** `--help` and no command at all. */
  help: z.strictObject({ usage: text }),
  version: z.strictObject({ version: semver }),
} as const;

export type CliPayloadName = keyof typeof cliPayloads;

/** A skill has all of its fields where the caller may see where it lies. */
const candidate = z.looseObject({
  publicId: text,
  slug: text.optional(),
  tenantSlug: text.optional(),
  folderId: text.nullable().optional(),
  path: z.string().optional(),
});

/** The only object on stderr of a failed run. `details` may have further fields. */
export const CliFailurePayload = z.strictObject({
  error: z.strictObject({
    code: z.enum(cliCodes),
    message: text,
    details: z
      .looseObject({
        kind: z.enum(failureKinds).optional(),
        ref: text.optional(),
        flag: z.string().optional(),
        httpStatus: z.number().int().min(100).max(599).optional(),
        serverMessage: z.string().optional(),
        candidates: z.array(candidate).optional(),
        existing: z.looseObject({ publicId: text, slug: text }).optional(),
        skipped: z.array(skipped.element.extend(uneditable)).optional(),
      })
      .optional(),
  }),
});
export type CliFailurePayload = z.output<typeof CliFailurePayload>;
