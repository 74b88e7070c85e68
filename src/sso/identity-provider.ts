/** The interface of both protocols. */
import type { SsoAttemptDoc, SsoResult } from "../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../storage/sso/providers.ts";
import type { App } from "../app.ts";

/** A started sign-in: the address for the browser, and what the response is compared with. */
export interface Begun {
  url: string;
  fields: Pick<SsoAttemptDoc, "requestId" | "sealedProof">;
}

/** The response of a provider, as the browser brings it. */
export type ProviderResponse =
  | { kind: "saml"; samlResponse: string }
  | { kind: "oidc"; query: URLSearchParams };

/** `once` is what no other sign-in at the provider may have used, and the result if one has. */
export interface Checked {
  result: SsoResult;
  once?: { assertionKey: string; replayed: SsoResult };
}

export interface IdentityProvider {
  /** `state` returns with the response. Throws `unavailable` for a provider that can't be reached. */
  begin(app: App, provider: SsoProviderDoc, attemptId: string, state: string): Promise<Begun>;
  /** Checks a response. The result has a subject only if every check has passed. */
  complete(
    app: App,
    provider: SsoProviderDoc,
    attempt: SsoAttemptDoc,
    response: ProviderResponse,
  ): Promise<Checked>;
}
