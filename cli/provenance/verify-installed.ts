/** The origins of installed versions, as the service has signed them, and what a project demands of them. */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { AttestationsPayload, PublicKey } from "../../contract/payloads/skills/provenance.ts";
import { builderOf, describeOrigin, matchesBuilder } from "../../contract/provenance/statement.ts";
import { openCaller } from "../api/call.ts";
import type { HttpOptions } from "../api/http.ts";
import { CliError } from "../errors.ts";
import type { InstalledInScope } from "../install/records/scopes.ts";
import type { Drift } from "../project/drift/drift.ts";
import { checkStatement, type CheckedStatement } from "./check-statement.ts";

const readConcurrency = 6;

export interface Origin {
  skill: string;
  semver: string;
  /** A sentence. */
  origin: string;
  /** Address of the repository whose pipeline has published the version. */
  builder?: string;
}

/** `builders`: patterns of the project, of which one has to match. */
export async function verifyOrigins(
  options: HttpOptions,
  installed: readonly InstalledInScope[],
  builders: readonly string[] | undefined,
): Promise<{ origins: Origin[]; drift: Drift[] }> {
  if (installed.length === 0) return { origins: [], drift: [] };
  const { get, json } = openCaller(options);
  const { keys } = (await json({ method: "GET", url: "/.well-known/svc/keys.json" })) as {
    keys?: PublicKey[];
  };
  const origins: Origin[] = [];
  const drift: Drift[] = [];
  const checked = await mapLimit(installed, readConcurrency, async ({ skill, scope }) => {
    const path = `/api/skills/${skill.publicId}/versions/${scope.version}/attestations`;
    return checkOne(
      () => get<AttestationsPayload>(path, undefined),
      (found) => checkStatement(found, keys ?? [], { publicId: skill.publicId, ...scope }),
    );
  });
  for (const [at, result] of checked.entries()) {
    const { installName: skill, scope } = installed[at]!;
    const report = (message: string) =>
      drift.push({ kind: "provenance", skill, message: `${skill} ${scope.semver} ${message}` });
    if ("problem" in result) {
      report(result.problem);
      continue;
    }
    const { statement } = result;
    const builder = builderOf(statement);
    origins.push({ skill, semver: scope.semver, origin: describeOrigin(statement), builder });
    if (builders && !(builder !== undefined && builders.some((one) => matchesBuilder(one, builder))))
      report(`was not built by ${builders.join(" or ")}: ${describeOrigin(statement)}`);
  }
  return { origins, drift };
}

/** A version that can't be read is a deviation of that skill, and not the end of the command. */
async function checkOne(
  read: () => Promise<AttestationsPayload>,
  check: (found: AttestationsPayload) => CheckedStatement,
): Promise<CheckedStatement> {
  let found: AttestationsPayload;
  try {
    found = await read();
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "E_NETWORK") throw error;
    return { problem: `has an origin that can't be checked: ${error.message}` };
  }
  try {
    return check(found);
  } catch {
    return { problem: "has a statement that can't be read" };
  }
}
