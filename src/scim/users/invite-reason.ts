import type { ScimUserDoc } from "../../../storage/scim/users.ts";
import { domainOfAddress } from "../../users/email-domain.ts";

/** Why a user is not active although the identity provider has activated it; undefined for any other user. */
export function inviteReasonOf({
  invited,
  inviteReason,
  invitationEnded,
  email,
  emailKey,
}: Pick<ScimUserDoc, "invited" | "inviteReason" | "invitationEnded" | "email" | "emailKey">):
  | string
  | undefined {
  if (!invited) return undefined;
  const cause =
    inviteReason === "domain"
      ? `The organization has not verified the domain ${domainOfAddress(emailKey) ?? "of the address"}`
      : `The account with the address ${email} has not confirmed it`;
  if (invitationEnded === "declined")
    return `${cause}, and the person has declined the invitation. Deactivate and activate the user to send another one.`;
  if (invitationEnded === "revoked")
    return `${cause}, and a member of the organization has revoked the invitation. Deactivate and activate the user to send another one.`;
  return `${cause}, so that the person becomes a member by accepting the invitation that was mailed to ${email}.`;
}
