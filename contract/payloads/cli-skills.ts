/** The documents of commands that search, describe and manage skills. */
import { z } from "zod";
import {
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
} from "./cli-fields.ts";

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
} as const;
