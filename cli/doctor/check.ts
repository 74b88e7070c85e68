/** One check of `svc doctor`. */
import { CliError, messageOf } from "../errors.ts";

export interface Check {
  name: string;
  status: "ok" | "warning" | "failed";
  message: string;
  /** Remedy in one line; absent if there is nothing to do. */
  remedy?: string;
}

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message });

export const warning = (name: string, message: string, remedy: string): Check => ({
  name,
  status: "warning",
  message,
  remedy,
});

export const failed = (name: string, message: string, remedy: string): Check => ({
  name,
  status: "failed",
  message,
  remedy,
});

/** The result of a check, which has failed if it throws. `remedy` is for that case. */
export async function checked(name: string, remedy: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    const text = messageOf(error);
    return failed(name, error instanceof CliError ? text : `${text.replace(/\.$/, "")}.`, remedy);
  }
}
