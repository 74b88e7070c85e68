/** The documents of commands that search, describe and manage skills, and of tokens and `api`. */
import { z } from "zod";
import { searchFields } from "../../vocabulary.ts";
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
  publisher,
  exposure,
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

/** By command, as part of `cliPayloads`. */
export const cliSkillPayloads = {
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
      updatedAt: timestamp,
    }),
    url: z.url(),
    format,
    /** All versions, with prereleases. */
    versionCount: integer,
    publishedAt: timestamp,
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
  revert: z.strictObject({
    skill: named,
    from: z.strictObject({ version: integer, semver }),
    to: z.strictObject({ version: integer, semver }),
    /** False if the version was current already. */
    changed: z.boolean(),
  }),
  edit: z.strictObject({
    skill: named.extend({ description: z.string(), tags: z.array(text), visibility }),
    changed: z.array(z.enum(["name", "description", "tags", "visibility"])),
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
