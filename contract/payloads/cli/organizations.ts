/** The documents of commands about organizations, their teams and the access to folders and skills. */
import { z } from "zod";
import { cliCodes } from "../../errors.ts";
import { accessActions, accessReasons, folderLevels, principalTypes } from "../../vocabulary.ts";
import { marketplaceAudiences } from "../discovery/marketplaces.ts";
import { count, publisher, text, timestamp, visibility, warnings } from "./fields.ts";

const organization = z.strictObject({ id: text, slug: text, name: text });
/** A role or team, without a name if it was deleted. */
const group = z.strictObject({ id: text, name: text.optional() });
const team = z.strictObject({ id: text, name: text });
const person = z.strictObject({ userId: text, username: text });

const members = z.array(
  z.strictObject({
    userId: text,
    username: text,
    name: text,
    /** For those who may change members. */
    email: text.optional(),
    role: group,
    teams: z.array(group),
    joinedAt: timestamp,
  }),
);

const claudeSettings = z.strictObject({
  extraKnownMarketplaces: z.record(z.string(), z.unknown()),
  enabledPlugins: z.record(z.string(), z.boolean()).optional(),
});

const marketplace = z.strictObject({
  audience: z.enum(marketplaceAudiences),
  collection: text.nullable(),
  isPublic: z.boolean(),
  name: text,
  title: text,
  requiredPlugins: z.array(text),
  gitUrl: text,
  catalogUrl: text,
});

const actions = z.array(z.enum(accessActions));
const changes = z.array(z.strictObject({ userId: text, username: text, before: actions, after: actions }));

const changedAccess = z.strictObject({
  organization,
  folder: z.strictObject({ id: text, path: text, restricted: z.boolean() }),
  /** Given on the command line; null revokes a grant. */
  grants: z.array(
    z.strictObject({
      type: z.enum(principalTypes),
      id: text,
      name: text,
      level: z.enum(folderLevels).nullable(),
    }),
  ),
  /** Members who may do more, or less, than before; with `dryRun`, who would. */
  gained: changes,
  lost: changes,
  dryRun: z.boolean(),
  warnings,
});

/** By command, as part of `cliPayloads`; all of them are ours. */
export const cliOrganizationPayloads = {
  "org.list": z.array(
    z.strictObject({
      id: text,
      slug: text,
      name: text,
      description: z.string(),
      /** The caller's: a built-in role's name, or a custom role's id. */
      role: text.nullable(),
      createdAt: timestamp,
      /** Set while the organization waits to be erased. */
      deletionAt: timestamp.optional(),
    }),
  ),
  "org.create": z.strictObject({ organization, created: z.literal(true) }),
  "org.members": members,
  "org.invite": z.strictObject({
    organization,
    role: text,
    invitations: z.array(
      z.strictObject({
        email: text,
        outcome: z.enum(["invited", "alreadyMember", "failed"]),
        invitation: z
          .strictObject({
            id: text,
            /** Page where the invited person accepts, signed in with the address. */
            url: z.url().optional(),
            expiresAt: timestamp,
            mail: z.enum(["waiting", "sent", "failed"]),
          })
          .optional(),
        error: z.strictObject({ code: z.enum(cliCodes), message: text }).optional(),
      }),
    ),
    summary: z.strictObject({ invited: count, alreadyMember: count, failed: count }),
  }),
  "org.remove": z.strictObject({ organization, member: person, removed: z.literal(true) }),
  "team.list": z.array(z.strictObject({ id: text, name: text, roles: z.array(group), createdAt: timestamp })),
  "team.create": z.strictObject({
    organization,
    team: z.strictObject({ id: text, name: text, roles: z.array(group) }),
    created: z.literal(true),
  }),
  "team.members": members,
  /** `added` is false for a member of the team. */
  "team.add": z.strictObject({ organization, team, member: person, added: z.boolean() }),
  "team.remove": z.strictObject({ organization, team, member: person, removed: z.literal(true) }),
  "team.delete": z.strictObject({ organization, team, deleted: z.literal(true) }),
  /** All members: `can` is empty for those without access, and `reasons` has the causes. */
  "access.show": z.strictObject({
    organization,
    skill: z.strictObject({ publicId: text, slug: text, ...publisher, name: text, visibility }).optional(),
    folder: z.strictObject({ id: text, path: text, name: text }).optional(),
    /** The effective restriction; null without one. */
    restriction: z.strictObject({ folderId: text, path: text.optional() }).nullable(),
    members: z.array(
      z.strictObject({
        userId: text,
        username: text,
        can: actions,
        reasons: z.array(
          z.strictObject({
            kind: z.enum(accessReasons),
            id: text.optional(),
            name: text.optional(),
            type: z.enum(principalTypes).optional(),
            level: z.enum(folderLevels).optional(),
          }),
        ),
      }),
    ),
  }),
  marketplace: z.array(marketplace),
  marketplaceOne: marketplace.extend({
    /** To be added to the settings of Claude Code. */
    claudeSettings,
    /** The same without Git. */
    claudeArchiveSettings: claudeSettings,
  }),
  "access.grant": changedAccess,
  "access.restrict": changedAccess,
} as const;
