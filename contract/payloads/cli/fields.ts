/** Fields that several documents of `svc -o json` share. */
import { z } from "zod";
import { scanSeverities } from "../../scan/report.ts";
import {
  audienceKinds,
  contentFormats,
  installMethods,
  installScopes,
  skillTypes,
  targets,
  visibilities,
} from "../../vocabulary.ts";
import { SkillReachPayload } from "../skills/reach.ts";

export const text = z.string().min(1);
export const integer = z.number().int().positive();
export const count = z.number().int().nonnegative();
export const timestamp = z.iso.datetime();
export const semver = z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/);
export const skillType = z.enum(skillTypes);
export const visibility = z.enum(visibilities);
export const format = z.enum(contentFormats);
/** Beyond the specification: what a person reads on stderr, and whether `--if-changed` created no version. */
export const warnings = z.array(text);
export const notRevoked = { revoked: z.literal(false).optional(), warnings: warnings.optional() };
export const unchanged = z.boolean();
export const skipped = z.array(z.strictObject({ platform: text, reason: text }));

/** Beyond the specification: the readers that a change added. */
const readers = z.array(z.strictObject({ id: text, name: text }));
export const exposure = z.strictObject({
  before: z.strictObject({ visibility: z.enum(audienceKinds) }),
  after: z.strictObject({
    visibility: z.enum(audienceKinds),
    members: readers.optional(),
    memberCount: count.optional(),
    teams: readers.optional(),
    teamCount: count.optional(),
  }),
  widened: z.boolean(),
  versions: count.optional(),
});

export const installationRecord = z.strictObject({
  platform: z.enum(targets),
  scope: z.enum(installScopes),
  method: z.enum(installMethods),
  path: text,
  projectDir: text.optional(),
  /** Beyond the specification: the pin, and the version at this location. */
  pin: text,
  version: integer,
  semver,
  format,
  installedAt: timestamp,
  /** In the folder that several tools read. */
  shared: z.literal(true).optional(),
  /** The name of a further location of the tool (`--also`); absent for its usual one. */
  also: text.optional(),
});

/** Beyond the specification: the result of `--dry-run`. */
export const dryRun = z.literal(true).optional();
/** Beyond the specification: in a dry run, who has the version and who gets it. */
export const reach = SkillReachPayload.optional();
/** Beyond the specification: a tool's file that can't be edited. */
export const uneditable = {
  /** Where the problem in the file is, if it is at one position; both from 1. */
  line: count.optional(),
  column: count.optional(),
  /** The text to add to the file by hand, with `<NAME>` for values of members. */
  snippet: text.optional(),
};
export const failedTargets = z.array(z.strictObject({ platform: text, path: text, error: text }));
/** Beyond the specification: installs in another project that has an svc.json, which stay as they are. */
export const kept = z.array(
  z.strictObject({
    installName: text,
    publicId: text,
    slug: text,
    tenantSlug: text,
    projectDir: text,
    version: integer,
    semver,
    pin: text,
  }),
);

export const skillHead = { publicId: text, slug: text, name: text, type: skillType, visibility };
export const current = { currentVersion: integer, currentSemver: semver };

/** The organization that publishes a skill. Beyond the specification, wherever a skill is named. */
export const publisher = { tenantSlug: text };

/** Beyond the specification: why not to install a skill. */
export const marks = {
  /** The message of its publishers. */
  deprecated: text.optional(),
  /** No version can be installed: the current one is the last that could be. */
  withheld: z.literal(true).optional(),
};

export const skill = z.strictObject({
  ...skillHead,
  ...current,
  ...publisher,
  description: z.string(),
  tags: z.array(text),
  tenantId: text,
  folderId: text.nullable(),
  createdBy: text,
  updatedAt: timestamp,
  ...marks,
});

export const version = {
  id: text,
  skillId: text,
  version: integer,
  semver,
  message: text,
  format: format.optional(),
  fileCount: integer.optional(),
  createdAt: timestamp,
};

export const scanFinding = z.strictObject({
  rule: text,
  severity: z.enum(scanSeverities),
  message: text,
  path: text,
  line: integer.optional(),
  column: integer.optional(),
  /** Without secrets, and with hidden characters as `<U+202E>`. */
  excerpt: z.string().optional(),
});

/** The run of a CI pipeline that published a version. */
export const ciOrigin = z.strictObject({
  repository: text,
  ref: text,
  commit: text.optional(),
  workflow: text.optional(),
  runUrl: text.optional(),
});
