/** Options with which a browser asks its authenticators for a passkey. */
import type { Credentials } from "../../../storage/users/users.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { browserCookie, clientFacts, newBrowserSecret } from "../../auth/known-clients.ts";
import { relyingParty, requirePasskeys } from "../../auth/relying-party.ts";
import { openTicket } from "../../auth/ticket.ts";
import { Enveloped, type RequestInfo } from "../../http/route.ts";
import { loadOwn } from "../load.ts";
import { browserBinding, newChallenge, sessionBinding } from "./challenge.ts";
import { webauthn } from "./verify.ts";

/**
 * Options for a sign-in with passkey alone; with a ticket, for its account; in a session, for the verification of its
 * user. Throws `invalid_credentials` or `refused`.
 */
export async function passkeyOptions(
  app: App,
  actor: Actor,
  ticket: string | undefined,
  request: RequestInfo,
): Promise<Enveloped> {
  requirePasskeys(app);
  if (ticket === undefined && actor.kind === "user" && actor.via.kind === "session")
    return new Enveloped(
      await optionsFor(app, sessionBinding(actor.via.sessionId), await loadOwn(app, actor)),
    );
  const client = clientFacts(app, actor, request);
  const user = ticket === undefined ? undefined : (await openTicket(app, ticket, client)).user;
  const deviceSecret = client.deviceSecret ?? newBrowserSecret();
  const options = await optionsFor(app, browserBinding(deviceSecret), user);
  return new Enveloped(options, { cookies: [browserCookie(app, deviceSecret)] });
}

async function optionsFor(app: App, binding: string, user: Credentials | undefined) {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(app).id,
    challenge: newChallenge(app, "passkey-use", binding),
    userVerification: "required",
    allowCredentials: (user?.factors?.passkeys ?? []).map(({ id, transports }) => ({
      id,
      transports: transports ?? [],
    })),
  });
  return { ...options };
}
