/** Trust policies: the CI pipelines whose identity tokens an organization exchanges for API tokens. */
import type { Collection, Filter } from "mongodb";
import type { CiOrigin } from "../../contract/payloads/accounts/ci.ts";
import type { CiProvider } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { namedIndexes, namedOperations, type NamedDoc } from "../named.ts";
import { withoutOutbox } from "../outbox.ts";

/** Ids of a repository and its owner at the provider, which a new repository of the same name does not have. */
export interface PinnedIds {
  ownerId: string;
  /** Absent if the policy is for all repositories of the owner. */
  repositoryId?: string;
}

export interface OidcPolicyDoc extends NamedDoc {
  /** Slot of the organization, from 0 up to `limits.oidcPolicies`. */
  slot: number;
  provider: CiProvider;
  issuer: string;
  repository: string;
  ref: string;
  environment?: string | null;
  /** Absent or null: the default ones of the provider. */
  events?: string[] | null;
  /** File of the pipeline's definition. Absent or null: any file of the repository itself. */
  workflow?: string | null;
  /** Requires a protected branch or tag. */
  protectedRef?: boolean;
  scopes?: Record<string, string[]> | null;
  allowedFolderIds?: string[] | null;
  skillIds?: string[] | null;
  enabled: boolean;
  /** Raised by each change of what the policy trusts or permits, which ends the tokens of earlier epochs. */
  epoch: number;
  /** Members who have changed what the policy trusts or permits since it was created. */
  changedBy?: string[];
  /** Set by the first exchange. */
  pinned?: (PinnedIds & { at: Date }) | null;
  lastExchange?: CiOrigin & { at: Date };
}

export const oidcPoliciesCollection = defineCollection({
  name: "oidc_policies",
  indexes: [
    ...namedIndexes("policy_name"),
    {
      key: { tenantId: 1, slot: 1 },
      unique: true,
      name: "policy_slot",
      partialFilterExpression: { active: true },
    },
    { key: { tenantId: 1 } },
    { key: { createdBy: 1 } },
  ],
  outbox: true,
  open: (policies: Collection<OidcPolicyDoc>) => ({
    ...namedOperations(policies),
    /** All policies of an organization, oldest first. */
    list: (tenantId: string) =>
      policies.find({ tenantId, active: true }, withoutOutbox).sort({ _id: 1 }).toArray(),
    /** Enabled policies that a user has created until a time, in any organization. */
    listMadeBy: (createdBy: string, until: Date, limit: number) =>
      policies
        .find({ createdBy, active: true, enabled: true, createdAt: { $lte: until } }, withoutOutbox)
        .limit(limit)
        .toArray(),
    /**
     * Records an exchange, and pins the ids if none are. False if the policy was changed, disabled or deleted since it
     * was read, or has other ids.
     */
    async noteExchange(
      { _id, epoch }: OidcPolicyDoc,
      ids: PinnedIds,
      run: CiOrigin,
      at: Date,
    ): Promise<boolean> {
      const current: Filter<OidcPolicyDoc> = { _id, epoch, active: true, enabled: true };
      const { repositoryId = null } = ids;
      const lastExchange = { ...run, at };
      const known = await policies.updateOne(
        { ...current, "pinned.ownerId": ids.ownerId, "pinned.repositoryId": repositoryId },
        { $set: { lastExchange } },
      );
      if (known.matchedCount === 1) return true;
      const pinned = await policies.updateOne(
        { ...current, pinned: null },
        { $set: { lastExchange, pinned: { ...ids, at } } },
      );
      return pinned.matchedCount === 1;
    },
    /** Removes deleted policies whose events are in the log; returns how many were removed. */
    removeEnded: () =>
      removeSlice(policies, { removedAt: { $exists: true }, pendingSince: { $exists: false } }),
  }),
});
