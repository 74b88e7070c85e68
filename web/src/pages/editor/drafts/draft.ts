import type { WorkFile } from "../working-set.ts";

/** An unpublished edit of a skill. */
export interface Draft {
  id: string;
  /** Id of the account, and of the skill; `new` for one that is not published yet. */
  owner: string;
  skill: string;
  /** The version that the files are based on. */
  base: { version: number; semver: string } | undefined;
  files: WorkFile[];
  message: string;
  /** Milliseconds since 1970. */
  savedAt: number;
}
