/** The two steps of the sign-in as pages. */
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { formScript } from "../../http/pages/form-script.ts";
import { html } from "../../http/pages/html.ts";
import { actorPage, type PageOptions } from "../../http/pages/pages.ts";
import type { Cookie, Reply } from "../../http/route.ts";
import { offersPasskeys } from "../relying-party.ts";
import { isSignUpOpen } from "../sign-in.ts";
import type { FactorNeeded } from "../ticket.ts";
import { factorPage, signInPage } from "./pages.ts";
import { passkeyScript } from "./passkey-script.ts";

/** The sign-in form, with passkeys where browsers offer them. */
export async function showSignIn(
  app: App,
  actor: Actor,
  view: { error?: string; email?: string; returnTo: string; asksPassword: boolean },
  options?: PageOptions,
): Promise<Reply> {
  const passkeys = offersPasskeys(app);
  const [signUpOpen, hasProviders] = await Promise.all([
    isSignUpOpen(app),
    app.storage.ssoProviders.hasEnabled(),
  ]);
  // The address may belong to the domain of an identity provider, which is asked instead of the password.
  const asksPassword = view.asksPassword || !hasProviders;
  const body = signInPage({ ...view, asksPassword, passkeys, signUpOpen });
  const script = passkeys ? html`${passkeyScript} ${formScript}` : formScript;
  return actorPage(actor, { title: "Sign in", body, script }, options);
}

/** The second step of a sign-in. */
export function showFactor(
  app: App,
  actor: Actor,
  view: Pick<FactorNeeded, "kinds" | "ticket"> & { returnTo: string; error?: string; cookies?: Cookie[] },
  options: PageOptions = {},
): Reply {
  const isScripted = view.kinds.includes("passkey") && offersPasskeys(app);
  const content = { title: "Confirm it is you", body: factorPage(view) };
  const shown = { ...content, script: isScripted ? html`${passkeyScript} ${formScript}` : formScript };
  return actorPage(actor, shown, { ...options, ...(view.cookies ? { cookies: view.cookies } : {}) });
}
