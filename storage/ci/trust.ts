import type { CiProvider } from "../../contract/vocabulary.ts";

/** Why the service trusts a run of a CI pipeline. */
export interface CiTrust {
  provider: CiProvider;
  /** Issuer of the identity token. */
  issuer: string;
  /** Address of the code host, as in `https://github.com`. */
  server: string;
  /** Trust policy that accepted it. */
  policyId: string;
}
