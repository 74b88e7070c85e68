/** The documents of `publish` and `push`. */
import { z } from "zod";
import { cliCodes } from "../../errors.ts";
import {
  count,
  current,
  format,
  integer,
  publisher,
  reach,
  semver,
  skillHead,
  skillType,
  text,
  unchanged,
  version,
  visibility,
  warnings,
} from "./fields.ts";

const ignoredFlags = z.array(z.enum(["folder", "visibility"]));
/** A skill that may not exist yet. */
const plannedSkill = z.strictObject({
  publicId: text.optional(),
  slug: text,
  ...publisher,
  name: text,
  type: skillType,
  visibility,
});
const dryRun = z.literal(true);
const error = z.strictObject({
  code: z.enum(cliCodes),
  message: text,
  details: z.looseObject({}).optional(),
});

/** By command, as part of `cliPayloads`. */
export const cliPublishPayloads = {
  publish: z.strictObject({
    action: z.enum(["created", "updated"]),
    skill: z.strictObject({
      ...skillHead,
      ...current,
      ...publisher,
      tenantId: text,
      folderId: text.nullable(),
    }),
    url: z.url(),
    format,
    fileCount: integer.optional(),
    ignoredFlags: z.array(z.enum(["folder", "visibility"])),
    unchanged,
    warnings,
    previousContentLocation: text.optional(),
  }),
  push: z.strictObject({
    skillRef: text,
    skill: z.strictObject({ publicId: text, slug: text, ...publisher, name: text }),
    version: z.strictObject(version),
    unchanged,
    warnings,
  }),
  /** Ours: of one skill with `--dry-run`. `semver` is the version that would be created. */
  publishDryRun: z.strictObject({
    dryRun,
    action: z.enum(["created", "updated"]),
    skill: plannedSkill,
    semver,
    format,
    fileCount: integer.optional(),
    ignoredFlags,
    unchanged,
    warnings,
    previousContentLocation: text.optional(),
    reach,
  }),
  /** Ours: of a folder of skills, with a row for each; with `--dry-run`, the outcomes that it would have. */
  publishAll: z.strictObject({
    dryRun: z.boolean(),
    skills: z.array(
      z.strictObject({
        path: text,
        outcome: z.enum(["created", "updated", "unchanged", "failed"]),
        skill: plannedSkill.optional(),
        semver: semver.optional(),
        url: z.url().optional(),
        format: format.optional(),
        fileCount: integer.optional(),
        ignoredFlags,
        warnings,
        previousContentLocation: text.optional(),
        error: error.optional(),
      }),
    ),
    summary: z.strictObject({ created: count, updated: count, unchanged: count, failed: count }),
  }),
  pushDryRun: z.strictObject({
    dryRun,
    skillRef: text,
    skill: z.strictObject({ publicId: text, slug: text, ...publisher, name: text }),
    version: z.strictObject({ semver, format, fileCount: integer.optional() }),
    unchanged,
    warnings,
    reach,
  }),
} as const;
