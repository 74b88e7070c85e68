/** The links of mails as calls: reading one changes nothing. */
import {
  AccessLinkPayload,
  EmailLinkPayload,
  ResetLinkPayload,
} from "../../contract/payloads/accounts/accounts.ts";
import type { App } from "../app.ts";
import { routesOf, type Route } from "../http/route.ts";
import { readConfirmation, requireSessionOf } from "./email-address.ts";
import { endAccess, readAccess } from "./mails/access-mails.ts";
import { readReset } from "./recovery.ts";
import { LinkQuery, LinkToken } from "./schema.ts";

const route = routesOf({ tag: "Account", auth: "optional", budget: "sign-in" });

export function linkRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/user/email/confirm",
      id: "getEmailConfirmation",
      failures: ["forbidden", "refused"],
      summary: "Read the link of a mail that confirms an e-mail address, in a session of its account",
      query: LinkQuery,
      data: EmailLinkPayload,
      async handle({ actor, query }): Promise<EmailLinkPayload> {
        const { user, change } = await readConfirmation(app, query.token);
        requireSessionOf(actor, user);
        return { email: change?.email ?? user.email, changes: change !== undefined };
      },
    }),
    route({
      method: "get",
      path: "/api/auth/password/reset",
      id: "getPasswordReset",
      failures: ["refused"],
      summary: "Read the link of a mail that sets a new password",
      query: LinkQuery,
      data: ResetLinkPayload,
      async handle({ query }): Promise<ResetLinkPayload> {
        const { emailVerifiedAt } = await readReset(app, query.token);
        return { endTokens: emailVerifiedAt ? "optional" : "always" };
      },
    }),
    route({
      method: "get",
      path: "/api/auth/end-access",
      id: "getAccessLink",
      failures: ["refused"],
      summary: "Read the link of a mail about a new session, token or grant",
      query: LinkQuery,
      data: AccessLinkPayload,
      handle: ({ query }) => readAccess(app, query.token),
    }),
    route({
      method: "post",
      path: "/api/auth/end-access",
      id: "endAccess",
      failures: ["refused"],
      summary: "End the session, token or grant that the link of a mail is about",
      body: LinkToken,
      data: AccessLinkPayload,
      handle: ({ actor, body }) => endAccess(app, actor.origin, body.token),
    }),
  ];
}
