/** Author of a version, in records and in commits. Commits leave the service, so they contain no e-mail address. */
import { publicName } from "../../../contract/names/public-name.ts";
import type { Identity } from "../../../repos/store/index.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";

export function authorOf(actor: Actor): VersionDoc["author"] {
  if (actor.kind === "user") return { id: actor.userId, name: actor.name, username: actor.username };
  if (actor.kind === "sync")
    return { id: actor.member.userId, name: actor.member.name, username: actor.member.username };
  if (actor.kind === "anonymous" || actor.kind === "anonymous-key") return null;
  return { id: actor.tokenId, name: actor.tokenName, username: actor.memberships[0].tenantSlug };
}

/** Author of a commit: the user's name and an address that receives no mail. */
export function commitIdentity(app: App, actor: Actor): Identity {
  const host = commitHost(app.config.baseUrl);
  if (actor.kind === "user")
    return { name: actor.username, email: `u-${actor.userId}@users.noreply.${host}` };
  if (actor.kind === "sync")
    return { name: actor.member.username, email: `u-${actor.member.userId}@users.noreply.${host}` };
  if (actor.kind === "organization")
    return {
      name: publicName(actor.tokenName) || "token",
      email: `t-${actor.tokenId}@users.noreply.${host}`,
    };
  if (actor.kind === "anonymous-key")
    return { name: actor.username, email: `a-${actor.identityId}@users.noreply.${host}` };
  return { name: "anonymous", email: `anonymous@users.noreply.${host}` };
}

/** Host in the addresses of commit authors. */
export function commitHost(baseUrl: string): string {
  return new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
}
