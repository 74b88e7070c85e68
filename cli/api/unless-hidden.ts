import { CliError } from "../errors.ts";

/** The result of a call; undefined if the caller may not make it, or the service does not have it. */
export async function unlessHidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const isHidden =
      error instanceof CliError && ["E_NOT_AUTHENTICATED", "E_FORBIDDEN", "E_NOT_FOUND"].includes(error.code);
    if (isHidden) return undefined;
    throw error;
  }
}
