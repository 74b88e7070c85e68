/**
 * The payloads of `svc -o json` (specification, part 4), closed: a field that is not named here fails a test, so that
 * one is added to the contract with intent. What is ours beyond the specification is marked.
 */
import assert from "node:assert/strict";
import { z } from "zod";

const text = z.string().min(1);
const integer = z.number().int().positive();
const timestamp = z.iso.datetime();
const semver = z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/);
const skillType = z.enum(["skill", "rule"]);
const visibility = z.enum(["public", "private", "unlisted"]);
const format = z.enum(["markdown", "package"]);
/** Beyond the specification: what a person reads on stderr. */
const warnings = z.array(text);

export const InstallationRecord = z.strictObject({
  platform: text,
  scope: z.enum(["global", "project"]),
  method: z.enum(["symlink", "copy", "section"]),
  path: text,
  projectDir: text.optional(),
  format,
  installedAt: timestamp,
});

const skillHead = { publicId: text, slug: text, name: text, type: skillType, visibility };
const current = { currentVersion: integer, currentSemver: semver };

const version = {
  id: text,
  skillId: text,
  version: integer,
  semver,
  message: text,
  format: format.optional(),
  fileCount: integer.optional(),
  createdAt: timestamp,
};

export const contract = {
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
  logout: z.strictObject({ loggedOut: z.literal(true) }),
  list: z.array(
    z.strictObject({
      ...skillHead,
      ...current,
      description: z.string(),
      tags: z.array(text),
      tenantId: text,
      folderId: text.nullable(),
      createdBy: text,
      updatedAt: timestamp,
    }),
  ),
  listPublic: z.array(
    z.strictObject({
      publicId: text,
      slug: text,
      name: text,
      description: z.string(),
      type: skillType,
      tags: z.array(text),
      ...current,
      author: z.strictObject({ name: text, username: text }).nullable(),
      downloads: z.number().int().nonnegative(),
    }),
  ),
  /** Of the specification only: each skill's pin and target count. */
  listInstalled: z.array(
    z.strictObject({
      publicId: text,
      slug: text,
      name: text,
      type: skillType,
      format,
      installName: text,
      version: integer,
      semver,
      pin: text,
      targetCount: integer,
      installed: z.array(InstallationRecord),
    }),
  ),
  publish: z.strictObject({
    action: z.enum(["created", "updated"]),
    skill: z.strictObject({ ...skillHead, ...current, tenantId: text, folderId: text.nullable() }),
    url: z.url(),
    format,
    fileCount: integer.optional(),
    ignoredFlags: z.array(z.enum(["folder", "visibility"])),
    warnings,
  }),
  push: z.strictObject({ skillRef: text, version: z.strictObject(version), warnings }),
  versions: z.array(z.strictObject({ ...version, current: z.boolean() })),
  install: z.strictObject({
    skill: z.strictObject({ ...skillHead, ...current }),
    version: integer,
    semver,
    requestedRange: text,
    format,
    installName: text,
    installed: z.array(InstallationRecord),
    skipped: z.array(z.strictObject({ platform: text, reason: text })),
    requiredMcpServers: z.array(z.strictObject({ tenantSlug: text, slug: text, installed: z.boolean() })),
    warnings,
  }),
  uninstall: z.strictObject({
    skill: z.strictObject({ installName: text, publicId: text }),
    removed: z.array(InstallationRecord),
    failed: z.array(z.strictObject({ platform: text, path: text, error: text })),
    purged: z.boolean(),
  }),
  pull: z.strictObject({
    skills: z.array(
      z.strictObject({
        publicId: text,
        slug: text,
        outcome: z.enum(["updated", "upToDate", "repaired", "partial", "failed"]),
        fromVersion: integer.optional(),
        toVersion: integer.optional(),
        toSemver: semver.optional(),
        warnings,
      }),
    ),
    summary: z.strictObject({
      updated: z.number().int(),
      upToDate: z.number().int(),
      failed: z.number().int(),
    }),
  }),
} as const;

type Contract = typeof contract;

/** Fails with every deviation when a payload is not of the command's shape; answers it typed. */
export function keepContract<K extends keyof Contract>(name: K, payload: unknown): z.output<Contract[K]> {
  const parsed = contract[name].safeParse(payload);
  if (!parsed.success)
    assert.fail(`${name}: ${z.prettifyError(parsed.error)}\n${JSON.stringify(payload, undefined, 2)}`);
  return parsed.data as z.output<Contract[K]>;
}
