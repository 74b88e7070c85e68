import { z } from "zod";
import { TenantParams } from "../orgs/schema.ts";
import { listQuery } from "../http/cursor.ts";

export { TenantParams };

const repository = z
  .string()
  .max(201)
  .regex(/^[\w-][\w.-]{0,99}\/[\w.-]{1,100}$/, "must be owner/name")
  .refine((name) => !/(^|\/)\.\.?$/.test(name), "must be owner/name")
  .meta({ description: "owner/name" });

// As `git check-ref-format` has it.
// oxlint-disable-next-line no-control-regex -- control characters are what this refuses
const notInBranch = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[/.-]|\/\.|[/.]$|\.lock(\/|$)|^@$/;
const branch = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !notInBranch.test(name), "is no name of a branch")
  .optional()
  .meta({ description: "default: the repository's own" });

const secret = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]*$/, "must be visible ASCII");

export const ConnectRepository = z.discriminatedUnion("host", [
  z.strictObject({ host: z.literal("github-app"), repository, branch }),
  z.strictObject({
    host: z.literal("github-token"),
    repository,
    branch,
    token: secret.meta({
      description: "a fine-grained token with contents and webhooks: write; kept sealed",
    }),
  }),
  z.strictObject({
    host: z.literal("local"),
    url: z.string().min(1).max(2000).meta({
      description: "https address of a repository, or the name of a bare one on the service's machine",
    }),
    branch,
    username: secret.optional(),
    password: secret.optional().meta({ description: "password or token; kept sealed" }),
  }),
]);
export type ConnectRepository = z.output<typeof ConnectRepository>;

export const SyncListQuery = z.object({ ...listQuery });
