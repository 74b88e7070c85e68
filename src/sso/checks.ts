/**
 * Named checks of the response of a provider. A test sign-in shows the result of each; a visitor never learns which one
 * failed.
 */
import type { SsoCheck } from "../../contract/payloads/accounts/sso.ts";

/** Names and titles in the order in which they are shown. */
export type CheckNames<N extends string> = readonly (readonly [name: N, title: string])[];

/** A failed check, which ends the work that depends on it. */
export class CheckFailed extends Error {}

export class Checks<N extends string> {
  private readonly results = new Map<N, { result: SsoCheck["result"]; message?: string }>();
  private readonly names: CheckNames<N>;

  constructor(names: CheckNames<N>) {
    this.names = names;
  }

  /** Records the result of a check, whose problem is undefined if it passed. The first problem of a check is kept. */
  note(name: N, problem: string | undefined): boolean {
    if (problem !== undefined && this.results.get(name)?.result !== "failed")
      this.results.set(name, { result: "failed", message: problem });
    else if (!this.results.has(name)) this.results.set(name, { result: "passed" });
    return problem === undefined;
  }

  /** As `note`, but throws `CheckFailed` for a problem. */
  require(name: N, problem: string | undefined): void {
    if (!this.note(name, problem)) throw new CheckFailed(problem);
  }

  get hasFailed(): boolean {
    return [...this.results.values()].some(({ result }) => result === "failed");
  }

  list(): SsoCheck[] {
    return this.names.map(([name, title]) => ({
      name,
      title,
      ...(this.results.get(name) ?? { result: "skipped" }),
    }));
  }
}

/** The first failed check of a result. */
export const firstFailure = (checks: readonly SsoCheck[]): SsoCheck | undefined =>
  checks.find(({ result }) => result === "failed");
