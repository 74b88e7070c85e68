import { RepoError, asRepoError } from "../errors.ts";

/** Whether an operation failed because the cached repository has lost objects. */
export function isDamage(error: unknown): error is RepoError {
  const codes = ["object_missing", "object_corrupt", "pack_vanished", "repository_missing"];
  return error instanceof RepoError && codes.includes(error.code);
}

/** Runs an operation on a mirror: throws `mirror_damaged` if the cached repository is damaged. */
export async function guarded<T>(doing: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!isDamage(error)) throw asRepoError(error, doing);
    throw new RepoError("mirror_damaged", `${doing}: the cached copy of the repository is damaged`, {
      cause: error,
    });
  }
}
