/** Resolves the pins of installed skills to versions, which their publishers must still be allowed to provide. */
import type { ResolveResult } from "../../../contract/payloads/skills/skills.ts";
import { removalReasons, type RemovalReason } from "../../../contract/vocabulary.ts";
import { CliError } from "../../errors.ts";
import type { Session } from "../../state/session.ts";
import { type AcceptedVersion, acceptInstalled } from "../publisher.ts";
import type { InstalledInScope, ScopeInstalls } from "../records/scopes.ts";
import { type UpdateCandidate, isOtherVersion } from "../update-skill.ts";

/** Maximum number of pins that are resolved concurrently. */
const atOnce = 6;

/** A skill in one of its scopes, and the version that its pin resolves to, or the error of resolving it. */
export interface ResolvedPin extends Omit<UpdateCandidate, "resolved"> {
  resolved: AcceptedVersion | CliError;
  /** Why the installed version should be removed: it was rejected or found malicious after it was published. */
  remove: RemovalReason | undefined;
}

export async function resolvePins(
  session: Session,
  chosen: readonly InstalledInScope[],
  repin: string | undefined,
): Promise<ResolvedPin[]> {
  const candidates: ResolvedPin[] = [];
  const requests = new Map<string, Promise<ResolveResult>>();
  /** Scopes with the same pin and version share a request. */
  const resolve = (publicId: string, range: string, scope: ScopeInstalls) => {
    const key = `${publicId} ${range} ${scope.version} ${scope.hash}`;
    const request = requests.get(key) ?? session.client.resolve(publicId, range, scope);
    requests.set(key, request);
    return request;
  };
  for (let i = 0; i < chosen.length; i += atOnce)
    candidates.push(
      ...(await Promise.all(
        chosen.slice(i, i + atOnce).map(async (installed): Promise<ResolvedPin> => {
          const range = repin ?? installed.scope.range;
          try {
            const found = await resolve(installed.skill.publicId, range, installed.scope);
            const resolved = acceptInstalled(installed.skill, found);
            return { ...installed, range, resolved, remove: removalReasonOf(found) };
          } catch (error) {
            if (!(error instanceof CliError)) throw error;
            return { ...installed, range, resolved: error, remove: removalReasonOf(error.details) };
          }
        }),
      )),
    );
  return candidates;
}

/** Why an installed version should be removed, in an answer of the service. */
export const removalReasonOf = (answer: object | undefined): RemovalReason | undefined =>
  removalReasons.find((reason) => answer && "remove" in answer && reason === answer.remove);

/** If all skills fail for the same reason, or the named skill fails, the command fails. */
export function throwIfAllFailed(candidates: readonly ResolvedPin[], named: boolean): void {
  const errors = candidates
    .map(({ resolved }) => resolved)
    .filter((resolved) => resolved instanceof CliError);
  if (errors.length === 0 || errors.length < candidates.length) return;
  const [first] = errors;
  if (named || ["E_NETWORK", "E_NOT_AUTHENTICATED"].includes(first!.code)) throw first!;
}

/** For `--frozen`. */
export function refuseUpdates(candidates: readonly ResolvedPin[]): void {
  const moves = candidates.flatMap(({ skill, scope, resolved }) =>
    resolved instanceof CliError || !isOtherVersion(scope, resolved)
      ? []
      : [{ skill: skill.slug, from: scope.semver, to: resolved.version.semver }],
  );
  const [first] = moves;
  if (first === undefined) return;
  throw new CliError("E_VERSION_CHANGED", `${first.skill} would move from ${first.from} to ${first.to}.`, {
    kind: "installedSkill",
    ...first,
    changes: moves,
  });
}
