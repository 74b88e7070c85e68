/** Errors for user names and accounts that another provisioned user has. */
import { isDuplicate } from "../../../storage/database.ts";
import { uniqueness } from "../errors.ts";
import type { UserFields } from "./attributes.ts";

export const nameTaken = ({ userName }: UserFields) => uniqueness(`There is a user "${userName}" already.`);

/** The error of a write, as the identity provider gets it. */
export function taken(error: unknown, fields: UserFields): unknown {
  if (isDuplicate(error, "scim_user_name")) return nameTaken(fields);
  if (isDuplicate(error, "scim_user_account"))
    return uniqueness(
      `Another user already has the account with the address "${fields.email}": change that user, or delete it first.`,
    );
  return error;
}
