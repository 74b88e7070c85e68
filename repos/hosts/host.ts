/** A place where a customer's repository lives. Each host passes `test/support/host/host-contract.ts`. */
import type { HostKind } from "../../contract/vocabulary.ts";
import type { Remote } from "../mirror/types.ts";

export interface HostedRepository {
  /** Does not change when the repository is renamed or moved. */
  id: string;
  /** As people call it: `owner/name`, or an address. Never holds credentials. */
  fullName: string;
  /** Undefined for an empty repository if its host does not report it. */
  defaultBranch: string | undefined;
  /** In kilobytes, if the host reports it. */
  sizeKb: number | undefined;
  /** Undefined if only a push can show it. */
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
  /** `unchanged` if the etag still matches; undefined if the branch does not exist. */
  head(branch: string, etag?: string): Promise<BranchHead | "unchanged" | undefined>;
  /**
   * Makes the host call `url` on every push, once, renewing the one with the `id` if it is still there; for hosts whose
   * connection does not bring that along.
   */
  ensureWebhook?(options: { id?: string; url: string; secret: string }): Promise<{ id: string }>;
  /** Removes the one with the `id`, and what else calls `url`. */
  removeWebhook?(options: { id?: string; url: string }): Promise<void>;
  /** For hosts that have them. */
  pullRequests?: PullRequests;
}

export interface PullRequest {
  number: number;
  url: string;
  state: "open" | "merged" | "closed";
  title: string;
  body: string;
  /** The proposed commit, or the last one if it is closed. */
  commit: string;
}

/** Each method throws `auth_failed`, naming the missing permission, if the credentials do not suffice. */
export interface PullRequests {
  /** The one that is open from one branch to another, else the newest. */
  find(between: { from: string; to: string }): Promise<PullRequest | undefined>;
  /** Opens one, or finds the one that is open. */
  open(options: { from: string; to: string; title: string; body: string }): Promise<PullRequest>;
  update(number: number, words: { title?: string; body?: string }): Promise<void>;
  close(number: number): Promise<void>;
}
