/** Locked versions that were yanked, rejected or found malicious after they were locked. */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { ResolveResult } from "../../contract/payloads/skills/skills.ts";
import type { RemovalReason } from "../../contract/vocabulary.ts";
import { openClient } from "../api/client.ts";
import { CliError } from "../errors.ts";
import { removalReasonOf } from "../install/pins/resolve-pins.ts";
import { publisherWarnings } from "../install/publisher.ts";
import { inScopes } from "../install/records/scopes.ts";
import { removalOf, withdrawalText } from "../install/removal.ts";
import type { Profile } from "../state/config.ts";
import type { Session } from "../state/session.ts";
import { type WantedSkill, findByPublicId, holdsVersion } from "./restored-skill.ts";

/** Time for an answer about skills that are in place already, which need no service. */
const answerMs = 5000;
/** Maximum number of concurrent requests. */
const atOnce = 6;

/** The state of a locked version that is in place, from the service. */
export interface LockedState {
  warnings: string[];
  /** Why it must not be used any more. */
  remove?: RemovalReason;
}

const unknown: LockedState = { warnings: [] };

/**
 * The states in the order of the skills; none is known if the service can't be reached, which the first request shows
 * before the others are sent.
 */
export async function readLockedStates(
  { client }: Session,
  wanted: readonly WantedSkill[],
): Promise<LockedState[]> {
  const { resolve } = openClient({ ...client.options, onceWithinMs: answerMs });
  let isReached = true;
  const read = async ({ ref, locked }: WantedSkill): Promise<LockedState> => {
    if (!isReached) return unknown;
    try {
      const answer = await resolve(locked.publicId, String(locked.version), knownVersion(locked));
      return { warnings: publisherWarnings(answer), remove: removalReasonOf(answer) };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.code === "E_NETWORK") isReached = false;
      if (error.code !== "E_NOT_FOUND") return unknown;
      const remove = removalReasonOf(error.details);
      if (remove !== undefined) return { warnings: [], remove };
      return { warnings: [`${ref} ${locked.semver} of svc.lock is not on the service any more`] };
    }
  };
  const [first, ...rest] = wanted;
  if (first === undefined) return [];
  return [await read(first), ...(await mapLimit(rest, atOnce, read))];
}

/** The version as those name it to the service who have it: it tells them alone why to remove it. */
export const knownVersion = ({ version, digest }: WantedSkill["locked"]) => ({ version, hash: digest });

/** Throws if the version was withdrawn. Callers who may review it can still resolve it. */
export function refuseWithdrawn(
  profile: Profile | undefined,
  wanted: WantedSkill,
  answer: ResolveResult | CliError["details"],
): void {
  const reason = removalReasonOf(answer);
  if (reason === undefined) return;
  const message = `${describeWithdrawn(profile, wanted, reason)}. Nothing was changed.`;
  throw new CliError("E_NOT_FOUND", message, { kind: "skill", ref: wanted.ref, remove: reason });
}

/** Without a full stop: the reason, and the commands that remove the version from this machine. */
export function describeWithdrawn(
  profile: Profile | undefined,
  { ref, locked }: WantedSkill,
  reason: RemovalReason,
): string {
  const [installed] = [findByPublicId(profile, locked.publicId)].flatMap(
    (entry) => entry && [inScopes(entry)],
  );
  const commands = (installed ?? [])
    .filter(({ scope }) => holdsVersion(scope, locked))
    .map((one) => removalOf(one, reason).command);
  const text = `${ref} ${locked.semver} of svc.lock ${withdrawalText(reason)}`;
  return commands.length === 0 ? text : `${text}, and is installed here: ${commands.join(", ")}`;
}
