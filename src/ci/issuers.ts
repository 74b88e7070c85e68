/** The issuers of identity tokens that the service's configuration names, and addresses at them. */
import type { CiProvider } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";

export interface Issuer {
  provider: CiProvider;
  issuer: string;
}

/** The issuer of a token. It is compared as a text, and nothing is requested from any other. */
export function findIssuer({ config }: App, issuer: unknown): Issuer | undefined {
  return config.oidc.issuers.find((one) => one.issuer === issuer);
}

/** The issuer that a trust policy names, or its provider's default. Throws `refused` for one that is not configured. */
export function chooseIssuer({ config }: App, provider: CiProvider, issuer: string | undefined): string {
  const known = config.oidc.issuers.filter((one) => one.provider === provider).map((one) => one.issuer);
  const chosen = issuer ?? known[0];
  if (chosen !== undefined && known.includes(chosen)) return chosen;
  throw new ServiceError(
    "refused",
    `This service trusts these issuers for "${provider}": ${known.join(", ")}. ` +
      "Its administrator can add another to the configuration.",
    { issuers: known },
  );
}

/** The audience for which a pipeline requests its token. */
export function audienceOf({ config }: App): string {
  return config.baseUrl;
}

/** Address of the GitHub server of an issuer: github.com, a data-residency domain or an Enterprise Server. */
export function gitHubServer(issuer: string): string {
  const { protocol, hostname, origin } = new URL(issuer);
  if (hostname === "token.actions.githubusercontent.com") return "https://github.com";
  const prefix = "token.actions.";
  return hostname.startsWith(prefix) ? `${protocol}//${hostname.slice(prefix.length)}` : origin;
}
