/** A deviation from what was installed, or from a project's lock. */
import type { DriftKind, Target } from "../../contract/vocabulary.ts";
import type { InstallationRecord, InstalledSkill } from "../state/config.ts";

export interface Drift {
  kind: DriftKind;
  /** The reference in the lock, or the install name. */
  skill: string;
  platform?: Target;
  path?: string;
  message: string;
}

/** A skill with the records to check. */
export type Installed = [installName: string, skill: InstalledSkill, records: readonly InstallationRecord[]];
