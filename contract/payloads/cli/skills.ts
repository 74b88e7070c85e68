/** The documents of commands that search, describe and manage skills, and of tokens and `api`. */
import { z } from "zod";
import { scanStates, scanVerdicts } from "../../scan/report.ts";
import { searchFields, versionStates } from "../../vocabulary.ts";
import { SkillReachPayload } from "../skills/reach.ts";
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
  installationRecord,
  current,
  skillHead,
  marks,
  warnings,
  publisher,
  exposure,
  scanFinding,
  dryRun,
  reach,
} from "./fields.ts";

const named = z.strictObject({ publicId: text, slug: text, ...publisher, name: text });

const token = {
  id: text,
  name: text,
  scopes: z.record(text, z.array(text)).optional(),
  allowedFolderIds: z.array(text).optional(),
  createdAt: timestamp,
  expiresAt: timestamp.optional(),
  lastUsedAt: timestamp.optional(),
  /** Created by `svc login` in the browser. */
  isLogin: z.literal(true).optional(),
};

/** The team that looks after a skill, for members of its organization. */
const ownerTeam = z.strictObject({ id: text, name: text }).optional();

const waiting = {
  skill: named,
  version: z.strictObject({ version: integer, semver, message: z.string(), createdAt: timestamp }),
  state: z.enum(versionStates),
  /** Approvals that it has, and needs. */
  approvals: count,
  needed: integer,
  mayDecide: z.boolean(),
};

const review = z.strictObject({
  ...waiting,
  /** Members who would get it. */
  readers: count,
  /** Why the caller can't decide. */
  refusal: text.optional(),
  entries: z.array(
    z.strictObject({
      kind: z.enum(["approved", "rejected", "overridden", "comment"]),
      by: text,
      text: text.optional(),
      path: text.optional(),
      line: integer.optional(),
      at: timestamp,
    }),
  ),
});

/** By command, as part of `cliPayloads`. */
export const cliSkillPayloads = {
  "review.list": z.strictObject({
    organization: z.strictObject({ id: text, slug: text, name: text }),
    reviews: z.array(z.strictObject(waiting)),
  }),
  "review.show": review.extend({
    /** The version to compare it with; null for a first version. */
    follows: z.strictObject({ version: integer, semver }).nullable(),
    /** Absent for callers who may not read it, as are the findings. */
    scan: z
      .strictObject({
        state: z.enum(scanStates),
        verdict: z.enum(scanVerdicts).optional(),
        rules: z.array(z.strictObject({ rule: text, count })),
        findings: z.array(scanFinding).optional(),
      })
      .optional(),
    reach,
  }),
  "review.approve": review,
  "review.reject": review,
  "review.override": review,
  /** Ours. `own`: found in an organization of the caller, otherwise in the public catalog. */
  search: z.array(
    z.strictObject({
      publicId: text,
      slug: text,
      ...publisher,
      name: text,
      description: z.string(),
      type: skillType,
      visibility,
      tags: z.array(text),
      ...current,
      own: z.boolean(),
      score: z.number(),
      matched: z.array(z.enum(searchFields)),
      sentence: text.optional(),
      ...marks,
    }),
  ),
  /** Ours. Sizes in bytes, of the current version; `estimatedTokens` are those of its SKILL.md or RULE.md. */
  info: z.strictObject({
    skill: z.strictObject({
      ...skillHead,
      ...current,
      ...publisher,
      description: z.string(),
      tags: z.array(text),
      folderId: text.nullable(),
      ownerTeam,
      updatedAt: timestamp,
      ...marks,
    }),
    /** Reasons not to install the version. */
    warnings,
    url: z.url(),
    format,
    /** All versions, with prereleases. */
    versionCount: integer,
    publishedAt: timestamp,
    /** Names with the versions that they point to, null while one is held. */
    channels: z.array(z.strictObject({ name: text, semver: semver.nullable() })),
    spread: z.strictObject({ machines: count, of: count, exact: z.boolean() }).optional(),
    origin: ciOrigin.optional(),
    files: z.array(z.strictObject({ path: text, size: count })),
    totalSize: count,
    estimatedTokens: count,
    access: z.strictObject({
      visibility,
      /** In a restricted folder. */
      restricted: z.boolean(),
      /** Absent if the folder is not visible to the caller; empty for the root. */
      folderPath: z.string().optional(),
    }),
    installed: z.array(
      z.strictObject({
        installName: text,
        version: integer,
        semver,
        pin: text,
        installs: z.array(installationRecord),
      }),
    ),
  }),
  /** Ours. `wanted` is what the pin resolves to, `latest` the current version of the skill. */
  outdated: z.strictObject({
    skills: z.array(
      z.strictObject({
        publicId: text,
        slug: text,
        ...publisher,
        installName: text,
        pin: text,
        /** Absent for the user level. */
        projectDir: text.optional(),
        installed: z.strictObject({ version: integer, semver }),
        wanted: z.strictObject({ version: integer, semver }),
        latest: z.strictObject({ version: integer, semver }),
        /** The pin resolves to another version than the installed one. */
        outdated: z.boolean(),
      }),
    ),
    /** Skills whose pin could not be resolved. */
    failed: z.array(z.strictObject({ installName: text, error: text })),
  }),
  /** Ours, as are the following ones. */
  open: z.strictObject({ skill: named, url: z.url() }),
  rename: z.strictObject({
    skill: named,
    /** The slug that it had. */
    from: text,
    /** False if it has the slug already. */
    renamed: z.boolean(),
    dryRun,
  }),
  revert: z.strictObject({
    skill: named,
    from: z.strictObject({ version: integer, semver }),
    to: z.strictObject({ version: integer, semver }),
    /** False if the version was current already. */
    changed: z.boolean(),
    dryRun,
    reach,
  }),
  deprecate: z.strictObject({
    dryRun,
    /** In a dry run: of each version, or of the current one. */
    reach: z.array(SkillReachPayload).optional(),
    skill: named,
    /** Empty for the skill itself. */
    versions: z.array(semver),
    /** Null if the deprecation was removed. */
    deprecated: text.nullable(),
  }),
  yank: z.strictObject({
    dryRun,
    reach,
    skill: named,
    version: z.strictObject({ version: integer, semver }),
    yanked: z.boolean(),
    reason: text.optional(),
    /** Channels that pointed to it. */
    deletedChannels: z.array(text),
    /** The version that installs get; null if there is none. In a dry run: before it. */
    current: z.strictObject({ version: integer, semver }).nullable(),
  }),
  "channel.list": z.strictObject({
    skill: named,
    /** Without a version while it is held; `held` is set for those who may update or review the skill. */
    channels: z.array(
      z.strictObject({
        name: text,
        version: integer.nullable(),
        semver: semver.nullable(),
        held: z.literal(true).optional(),
        movedAt: timestamp,
      }),
    ),
  }),
  "channel.set": z.strictObject({
    dryRun,
    reach,
    skill: named,
    channel: text,
    version: z.strictObject({ version: integer, semver }),
    /** Null for a new channel. */
    previous: z.strictObject({ version: integer, semver }).nullable(),
    changed: z.boolean(),
  }),
  "channel.delete": z.strictObject({
    dryRun,
    reach,
    skill: named,
    channel: text,
    deleted: z.literal(true),
  }),
  edit: z.strictObject({
    skill: named.extend({ description: z.string(), tags: z.array(text), visibility, ownerTeam }),
    changed: z.array(z.enum(["name", "description", "tags", "visibility", "ownerTeam"])),
    exposure: exposure.optional(),
  }),
  delete: z.strictObject({ skill: named, deleted: z.literal(true) }),
  "token.list": z.array(z.strictObject(token)),
  /** `token` is the secret, which is printed this once. */
  "token.create": z.strictObject({ ...token, token: text }),
  "token.revoke": z.strictObject({ id: text, revoked: z.literal(true) }),
  /** The body of the response: JSON, or a text; null if it is empty. */
  api: z.union([z.looseObject({}), z.array(z.unknown()), z.string(), z.number(), z.boolean(), z.null()]),
} as const;
