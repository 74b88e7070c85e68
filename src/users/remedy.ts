/** Link by which a visitor of a page gives the proof that an error asks for, and returns to the page. */
import type { ServiceError } from "../errors.ts";
import { html, type Html } from "../http/pages/html.ts";

const back = (path: string, returnTo: string) =>
  `${path}${path.includes("?") ? "&" : "?"}return_to=${encodeURIComponent(returnTo)}`;

/** Address of the sign-in by their own credentials, also for visitors whom a provider has signed in. */
export const ownSignInPath = (returnTo: string) => back("/sign-in?password=1", returnTo);

/** `returnTo` is a path of this service. Undefined if no proof is missing. */
export function remedyOf({ code, details }: ServiceError, returnTo: string): Html | undefined {
  const start = details?.["startUrl"];
  if (code === "mfa_required") return link("/settings/security", "Set up a second factor");
  if (code !== "sso_required" && code !== "reauthentication_required") return undefined;
  return typeof start === "string"
    ? link(back(start, returnTo), "Sign in through the identity provider")
    : link(ownSignInPath(returnTo), "Confirm who you are");
}

const link = (href: string, text: string) =>
  html`<p class="actions"><a class="button" href="${href}">${text}</a></p>`;
