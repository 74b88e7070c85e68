/** A place where a customer's repository lives. Each host passes `test/support/host-contract.ts`. */
import type { HostKind } from "../../contract/vocabulary.ts";
import type { Remote } from "../mirror/types.ts";

export interface HostedRepository {
  /** Does not change when the repository is renamed or moved. */
  id: string;
  /** As people call it: `owner/name`, or an address. Never holds credentials. */
  fullName: string;
  /** Undefined for an empty repository of a host that can't tell. */
  defaultBranch: string | undefined;
  /** Kilobytes, where the host tells. */
  sizeKb: number | undefined;
  /** Undefined where only a push would tell. */
  canPush: boolean | undefined;
}

/** The branch's commit; `etag` goes into the next call, which then may cost nothing. */
export interface BranchHead {
  oid: string;
  etag?: string;
}

export interface RepositoryHost {
  readonly kind: HostKind;
  /** Throws `auth_failed`, `remote_missing` or another failure of the transport. */
  describe(): Promise<HostedRepository>;
  /** Address and credentials for one job: a token made for it is not kept. */
  remote(): Promise<Remote>;
  /** `unchanged` for the etag that was given; undefined if there is no such branch. */
  head(branch: string, etag?: string): Promise<BranchHead | "unchanged" | undefined>;
  /** Makes the host call `url` on every push, once; for hosts whose connection does not bring that along. */
  ensureWebhook?(options: { url: string; secret: string }): Promise<{ id: string }>;
  removeWebhook?(id: string): Promise<void>;
  /** Opens a pull request from one branch to another, or finds the one that is open. */
  openPullRequest?(options: {
    from: string;
    to: string;
    title: string;
    body: string;
  }): Promise<{ number: number; url: string }>;
}
