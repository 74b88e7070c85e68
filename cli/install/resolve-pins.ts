/** Resolves the pins of installed skills to versions, which their publishers must still be allowed to provide. */
import { CliError } from "../errors.ts";
import type { InstalledSkill } from "../state/config.ts";
import type { Session } from "../state/session.ts";
import { type AcceptedVersion, acceptInstalled } from "./publisher.ts";
import { type UpdateCandidate, isOtherVersion } from "./update-skill.ts";

/** Maximum number of pins that are resolved concurrently. */
const atOnce = 6;

/** An installed skill, and the version that its pin resolves to, or the error of resolving it. */
export interface ResolvedPin extends Omit<UpdateCandidate, "resolved"> {
  resolved: AcceptedVersion | CliError;
}

export async function resolvePins(
  session: Session,
  chosen: readonly [string, InstalledSkill][],
  repin: string | undefined,
): Promise<ResolvedPin[]> {
  const candidates: ResolvedPin[] = [];
  for (let i = 0; i < chosen.length; i += atOnce)
    candidates.push(
      ...(await Promise.all(
        chosen.slice(i, i + atOnce).map(async ([installName, skill]): Promise<ResolvedPin> => {
          const range = repin ?? skill.range;
          try {
            const found = await session.client.resolve(skill.publicId, range);
            return { installName, skill, range, resolved: acceptInstalled(skill, found) };
          } catch (error) {
            if (!(error instanceof CliError)) throw error;
            return { installName, skill, range, resolved: error };
          }
        }),
      )),
    );
  return candidates;
}

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
  const moves = candidates.flatMap(({ skill, resolved }) =>
    resolved instanceof CliError || !isOtherVersion(skill, resolved)
      ? []
      : [{ skill: skill.slug, from: skill.semver, to: resolved.version.semver }],
  );
  const [first] = moves;
  if (first === undefined) return;
  throw new CliError("E_VERSION_CHANGED", `${first.skill} would move from ${first.from} to ${first.to}.`, {
    kind: "installedSkill",
    ...first,
    changes: moves,
  });
}
