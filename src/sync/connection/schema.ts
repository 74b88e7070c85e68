import { z } from "zod";
import { syncModes } from "../../../contract/vocabulary.ts";
import { listQuery } from "../../http/request/cursor.ts";
import { flag } from "../../http/request/flag.ts";
import { TenantParams } from "../../orgs/schema.ts";
import { isProposalBranch } from "./proposal-branch.ts";

export { TenantParams };

const repository = z
  .string()
  .max(201)
  .regex(/^[\w-][\w.-]{0,99}\/[\w.-]{1,100}$/, "must be owner/name")
  .refine((name) => !/(^|\/)\.\.?$/.test(name), "must be owner/name")
  .meta({ description: "owner/name" });

// The rules of `git check-ref-format`.
// oxlint-disable-next-line no-control-regex -- it refuses control characters
const notInBranch = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[/.-]|\/\.|[/.]$|\.lock(\/|$)|^@$/;
const branch = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !notInBranch.test(name), "must be a valid branch name")
  .refine((name) => !isProposalBranch(name), "must not be a proposal branch of the service")
  .optional()
  .meta({ description: "default: the repository's own" });

const mode = z.enum(syncModes).meta({
  description: "push: changes are pushed to the branch; pull_request: they are proposed on a separate branch",
});
const modeAtFirst = mode.default("push");

const secret = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]*$/, "must be visible ASCII");

export const ConnectRepository = z.discriminatedUnion("host", [
  z.strictObject({ host: z.literal("github-app"), repository, branch, mode: modeAtFirst }),
  z.strictObject({
    host: z.literal("github-token"),
    repository,
    branch,
    mode: modeAtFirst,
    token: secret.meta({
      description:
        "a fine-grained token with write access to contents and webhooks, and to pull requests in mode " +
        "pull_request; stored encrypted",
    }),
  }),
  z.strictObject({
    host: z.literal("local"),
    url: z.string().min(1).max(2000).meta({
      description: "https address of a repository, or the name of a bare repository on the service's machine",
    }),
    branch,
    mode: modeAtFirst,
    username: secret.optional(),
    password: secret.optional().meta({ description: "password or token; stored encrypted" }),
  }),
]);
export type ConnectRepository = z.output<typeof ConnectRepository>;

export const UpdateConnection = z.strictObject({
  mode: mode.optional(),
  marketplace: z.boolean().optional().meta({
    description:
      "the sync writes the files with which the repository is a marketplace of plugins for AI tools",
  }),
});
export type UpdateConnection = z.output<typeof UpdateConnection>;

export const SyncListQuery = z.object({ ...listQuery });

export const ConflictQuery = z.object({
  seen: flag
    .optional()
    .meta({ description: "only conflicts that a person has marked as fine, or only the others" }),
  ...listQuery,
});
export type ConflictQuery = z.output<typeof ConflictQuery>;

export const ConflictParams = TenantParams.extend({
  conflict: z.string().min(1).max(100).meta({ description: "id of a conflict" }),
});
