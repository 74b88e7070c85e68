/** Remedies for the problems of a sync, by their codes (`docs/reference/sync.md`). */
const remedies: Record<string, string> = {
  auth_failed: "The credentials are revoked, expired or too narrow. Disconnect, and connect with new ones.",
  remote_missing: "Check that the repository exists and that access to it was not revoked.",
  host_not_offered: "Ask the operator of this service to set the code host up again.",
  branch_missing: "Create the branch, or disconnect and connect the branch that it was renamed to.",
  branch_protected: "Allow pushes to the branch at the host, or propose changes with pull requests instead.",
  signature_required:
    "Let the App or the account of the token bypass the rule for signed commits at the host, or propose changes with pull requests from a branch without the rule: the host signs the commit of a squash merge.",
  pull_requests_denied: "Give the App or the token the permission “Pull requests: read and write”.",
  connector_gone: "Take the connection over: imported versions are then by you.",
  skills_blocked: "Rename the file “skills” in the repository: the service needs that name for a folder.",
  remote_too_large: "Make the repository smaller: the files of the branch may have 256 MB.",
  remote_forbidden: "Use an address in a public network, or ask the operator to allow private ones.",
  invalid_remote: "Correct the address, or remove the entry that the message names.",
  sha256_repository: "Connect a repository with SHA-1 objects.",
  push_rejected: "Change the rule or hook at the host that the message quotes.",
  remote_protocol: "Check that the address is that of a Git server.",
  git_missing: "Ask the operator of this service to install git.",
};

export const remedyOf = (code: string): string | undefined => remedies[code];
