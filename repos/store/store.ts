import { RepoError } from "../errors.ts";
import type { SkillStore, StoreOptions } from "./types.ts";

export function openSkillStore(options: StoreOptions): SkillStore {
  throw new RepoError("storage_unavailable", `no store at ${options.root}`);
}
