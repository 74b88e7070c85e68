/** The failures that an operation declares. */
import { failures, type FailureCode } from "../../../contract/errors.ts";
import type { Route } from "../route.ts";

/** Meanings of the codes, as in `docs/reference/errors.md`. */
const meanings: Record<FailureCode, string> = {
  invalid_request: "body, query or path do not match the operation; `details.issues`",
  unauthenticated: "credentials are missing or invalid",
  invalid_credentials: "a wrong password, or an invalid identity token",
  forbidden: "visible, but your role or token does not allow the action",
  quota_exceeded: "no storage left; `details.bytes`, `details.limitBytes`",
  oidc_rejected: "no trust policy accepts the identity token",
  sso_required: "the organization requires its identity provider; `details.startUrl`",
  sso_failed: "a sign-in through an identity provider failed; `details.number`",
  mfa_required: "the organization requires a second factor, which your account lacks",
  reauthentication_required: "needs a factor or password that was verified in the last ten minutes",
  not_found: "does not exist, or you have no access",
  method_not_allowed: "the path has other methods",
  already_exists: "a name or slug is taken; `details.existing` if you may see it",
  ambiguous: "a reference matches several skills; `details.candidates`",
  conflict: "another call came first, or holds the same key",
  payload_too_large: "over `details.limitBytes`",
  unsupported_media_type: "a type or compression of the body that is not accepted",
  content_invalid: "a text, SKILL.md or image is empty or can't be parsed",
  package_invalid: "a package violates `details.rule`, at `details.path`",
  upload_mismatch: "the bytes differ from the announced size or digest",
  too_costly: "content takes too much time or memory to process",
  version_not_greater: "the version exists, or is not above `details.highest`",
  limit_reached: "the maximum number of such objects is reached",
  folder_not_empty: "the folder contains skills or folders",
  managed_folder: "the folder belongs to personal workspaces, which manage it",
  last_owner: "the last owner of an organization can't leave or be demoted",
  domain_unverified: "the TXT record is missing; `details.reason`",
  refused: "allowed for you, but against the rule that the message names",
  rate_limited: "too many calls: wait for `Retry-After` seconds",
  internal: "a bug; the service's log has it under the request id",
  git_missing: "the machine has no git program",
  unavailable: "an engine does not respond, or the process is closing: try again",
};

/** Parameters that name an object of an organization, whose requirements of a sign-in then apply. */
const ofOrganizations = new Set(["tenant", "skill", "folder", "server", "collection"]);

/** Refusals of members whose sign-in does not meet the requirements of the organization. */
const proofs = ["sso_required", "mfa_required", "reauthentication_required"] as const;

/** All codes with which an operation can fail, in the order of the closed table. */
export function failureCodesOf(route: Route): FailureCode[] {
  const { auth, method, path } = route;
  const parameters = [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => name!);
  const codes = new Set<FailureCode>(["internal", "unavailable", ...(route.failures ?? [])]);
  const add = (isPossible: boolean, ...more: FailureCode[]) => {
    if (isPossible) for (const code of more) codes.add(code);
  };
  const identifies = auth !== "none";
  const isAdministration = auth === "administrator";
  add(true, "invalid_request");
  add(identifies, "unauthenticated", "rate_limited");
  add(auth === "required" || isAdministration || (identifies && method !== "get"), "forbidden");
  add(isAdministration, "reauthentication_required");
  add(isAdministration || parameters.length > 0, "not_found");
  add(identifies && parameters.some((name) => ofOrganizations.has(name)), ...proofs);
  add(Boolean(route.body ?? route.stream), "payload_too_large", "unsupported_media_type");
  add(method === "post" && route.status === 201, "conflict");
  return (Object.keys(failures) as FailureCode[]).filter((code) => codes.has(code));
}

/** The codes by their HTTP status. */
export function failuresByStatus(codes: readonly FailureCode[]): Map<string, FailureCode[]> {
  const byStatus = new Map<string, FailureCode[]>();
  for (const code of codes) {
    const status = String(failures[code].status);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** Description of a failure response, with the meaning of each code. */
export const describeFailures = (codes: readonly FailureCode[]) =>
  codes.map((code) => `\`${code}\`: ${meanings[code]}`).join(". ");
