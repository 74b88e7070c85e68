const prefix = "svc-sync/";

/** The branch of the service that a connection in pull-request mode pushes to instead of `branch`. */
export const proposalBranch = (branch: string) => `${prefix}${branch}`;

/** Whether a name is reserved for proposals: such a branch can't be connected. */
export const isProposalBranch = (branch: string) => branch.startsWith(prefix);
