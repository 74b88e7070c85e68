/** A deviation from what was installed, or from a project's lock. */
import type { DriftKind, Target } from "../../../contract/vocabulary.ts";
import type { ScopeInstalls } from "../../install/records/scopes.ts";
import type { InstalledSkill } from "../../state/config.ts";

export interface Drift {
  kind: DriftKind;
  /** The reference in the lock, or the install name. */
  skill: string;
  platform?: Target;
  path?: string;
  message: string;
}

/** A skill with the scopes to check. */
export interface CheckedSkill {
  installName: string;
  skill: InstalledSkill;
  scopes: readonly ScopeInstalls[];
}
