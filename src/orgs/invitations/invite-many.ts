/** Inviting many addresses with one offer. */
import type { InvitationDoc } from "../../../storage/organizations/invitations.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { email as emailSchema, foldName } from "../../users/schema.ts";
import type { CreateInvitations } from "../schema.ts";
import { inviteAddress, loadForOffer } from "./invite.ts";

/** Outcome of one address, as it was given. */
export type InviteOutcome =
  | { email: string; invitation: InvitationDoc }
  | { email: string; problem: ServiceError };

/**
 * Invites each address once, in their order, as `invite` does. Throws if the caller may not make the offer at all; a
 * problem of one address is its outcome, and the others are invited. Each address counts as a request to invite.
 */
export async function inviteMany(
  app: App,
  actor: Actor,
  tenantRef: string,
  { emails, ...offer }: CreateInvitations,
): Promise<InviteOutcome[]> {
  const tenant = await loadForOffer(app, actor, tenantRef, offer);
  const outcomes: InviteOutcome[] = [];
  for (const given of uniqueAddresses(emails)) {
    try {
      // The route has counted the first one.
      if (outcomes.length > 0) await app.rateLimits.consume("invite", actor.origin);
      const input = { ...offer, email: readAddress(given) };
      outcomes.push({ email: given, invitation: await inviteAddress(app, actor, tenant, input) });
    } catch (problem) {
      if (!(problem instanceof ServiceError)) throw problem;
      outcomes.push({ email: given, problem });
    }
  }
  return outcomes;
}

/** The addresses without those that repeat an earlier one. */
function uniqueAddresses(emails: readonly string[]): string[] {
  const seen = new Set<string>();
  return emails
    .map((email) => email.trim())
    .filter((email) => {
      const key = foldName(email);
      return !seen.has(key) && seen.add(key);
    });
}

function readAddress(text: string): string {
  const read = emailSchema.safeParse(text);
  if (read.success) return read.data;
  throw new ServiceError("invalid_request", "This is not an e-mail address.", { kind: "invitation" });
}
