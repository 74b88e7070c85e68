import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { anonymousMcpModes, signUpModes } from "../../contract/vocabulary.ts";
import { oldPassword } from "../auth/schema.ts";
import { listQuery } from "../http/request/cursor.ts";
import { flag } from "../http/request/flag.ts";
import { email, personName, username } from "../users/schema.ts";

/** Counted in characters, not in the halves that JavaScript stores the rarer ones in. */
const newPassword = z
  .string()
  .max(limits.password.max * 2)
  .refine((text) => {
    const { length } = Array.from(text);
    return length >= limits.password.min && length <= limits.password.max;
  }, `must have ${limits.password.min} to ${limits.password.max} characters`)
  .meta({ description: `${limits.password.min} to ${limits.password.max} characters` });

export const SignUp = z.strictObject({
  email,
  password: newPassword,
  name: personName,
  username,
  setupToken: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "from the set-up link; only the first account of a service needs it" }),
  invitationToken: z.string().max(200).optional().meta({
    description: "from the link of an invitation to this address, where accounts are made by invitation",
  }),
});
export type SignUp = z.output<typeof SignUp>;

export const ChangePassword = z.strictObject({ currentPassword: oldPassword, newPassword });
export type ChangePassword = z.output<typeof ChangePassword>;

/** An account without a password, which an identity provider signs in, has none to send. */
const ownPassword = oldPassword
  .optional()
  .meta({ description: "needed unless the account has none: it then needs a recent verification" });

export const ChangeEmail = z.strictObject({ email, password: ownPassword });
export type ChangeEmail = z.output<typeof ChangeEmail>;

const linkToken = z.string().min(1).max(200).meta({ description: "from the link in the mail" });

export const ConfirmEmail = z.strictObject({ token: linkToken });
export type ConfirmEmail = z.output<typeof ConfirmEmail>;

/** The token of a mail's link, in a query or a body. */
export const LinkToken = z.strictObject({ token: linkToken });
export const LinkQuery = z.object({ token: linkToken });

export const ForgotPassword = z.strictObject({ email: z.string().min(1).max(limits.email) });
export type ForgotPassword = z.output<typeof ForgotPassword>;

export const ResetPassword = z.strictObject({
  token: linkToken,
  password: newPassword,
  endTokens: z.boolean().default(false).meta({
    description:
      "also end all API tokens of the account; always done where its address is confirmed for the first time",
  }),
});
export type ResetPassword = z.output<typeof ResetPassword>;

export const DeleteAccount = z.strictObject({ password: ownPassword });
export type DeleteAccount = z.output<typeof DeleteAccount>;

export const SessionQuery = z.object(listQuery);

export const SessionParams = z.object({ id: z.string().max(64) });

export const AdminUserQuery = z.object({
  query: z
    .string()
    .trim()
    .min(1)
    .max(limits.email)
    .optional()
    .meta({ description: 'beginning of a user name, or of an address if it contains "@", or an id' }),
  suspended: flag.optional().meta({ description: "only suspended accounts, or only the others" }),
  administrator: flag.optional().meta({ description: "only administrators of the service" }),
  ...listQuery,
});
export type AdminUserQuery = z.output<typeof AdminUserQuery>;

export const AdminUserParams = z.object({ user: z.string().min(1).max(64).meta({ description: "id" }) });

const reason = z
  .string()
  .trim()
  .min(1)
  .max(limits.takedownReason)
  .meta({ description: "recorded in the log of the service, and shown to administrators" });

/** Body of every action on an account. */
export const AdminReason = z.strictObject({ reason });

export const ChangeServiceSettings = z.strictObject({
  signUp: z.enum(signUpModes).optional(),
  anonymousMcp: z.enum(anonymousMcpModes).optional(),
  rootCollection: z
    .string()
    .max(120)
    .regex(/^[a-z0-9-]+\/[a-z0-9-]+$/, "must be org/collection")
    .nullable()
    .optional()
    .meta({ description: "org/collection, a public collection; null: the service has no index at its root" }),
  reason,
});
export type ChangeServiceSettings = z.output<typeof ChangeServiceSettings>;
