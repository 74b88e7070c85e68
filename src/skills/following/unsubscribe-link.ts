/** The link that ends the mails about followed skills. It works without a sign-in, and allows nothing else. */
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { checkLink, readLink, signLink } from "../../mail/signed-link.ts";

export const unsubscribePath = "/user/unsubscribe";
/** Mails are read late, and a link that fails would be reported as spam instead. */
const linkDays = 365;

export function unsubscribeUrl(app: App, userId: string): string {
  const expiresAt = new Date(app.now().getTime() + linkDays * 86_400_000);
  return `${app.config.baseUrl}${unsubscribePath}?token=${signLink(app, "unsubscribe", { id: userId, expiresAt })}`;
}

/** Id of the person. Throws `refused` for a token that is not one of ours, or has expired. */
export function readUnsubscribeLink(app: App, token: string): string {
  const read = readLink(token);
  if (!read || checkLink(app, "unsubscribe", token) !== "valid")
    throw new ServiceError(
      "refused",
      "This link is not valid any more: open it as it is in the mail, or choose your mails in the settings.",
    );
  return read.id;
}
