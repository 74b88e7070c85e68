/** Downloads the versions of a lock, and compares them with it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { ResolveResult } from "../../contract/payloads/skills/skills.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { type FetchedVersion, fetchVersion } from "../install/fetch.ts";
import {
  type AcceptedVersion,
  acceptForPreview,
  acceptLocked,
  publisherWarnings,
} from "../install/publisher.ts";
import type { Session } from "../state/session.ts";
import type { Progress } from "../terminal/output.ts";
import { plainLine } from "../terminal/table.ts";
import type { WantedSkill } from "./restored-skill.ts";
import { knownVersion, refuseWithdrawn } from "./withdrawn.ts";

/** In place of the progress of one download among several. */
const silent: Progress = { update() {}, end() {} };

/** Maximum number of concurrent requests. */
const atOnce = 6;

export interface FetchedSkill extends WantedSkill {
  fetched: FetchedVersion;
}

/** The versions of the lock at the service, each with the user's consent to install it. */
export async function acceptAllLocked(
  context: Context,
  session: Session,
  wanted: readonly WantedSkill[],
  trust: string | undefined,
): Promise<AcceptedVersion[]> {
  const resolved = await resolveAll(context, session, wanted);
  const accepted: AcceptedVersion[] = [];
  for (const [i, one] of wanted.entries())
    accepted.push(await acceptLocked(context, session, one, resolved[i]!, trust));
  return accepted;
}

/** Previews locked skills for a dry run, which installs nothing and prompts no one. */
export async function previewAllLocked(
  context: Context,
  session: Session,
  wanted: readonly WantedSkill[],
): Promise<AcceptedVersion[]> {
  return (await resolveAll(context, session, wanted)).map(acceptForPreview);
}

/** Downloads into a temporary folder; `accepted` is in the order of the skills. */
export async function fetchAllLocked(
  context: Context,
  session: Session,
  wanted: readonly WantedSkill[],
  accepted: readonly AcceptedVersion[],
  temporary: string,
): Promise<FetchedSkill[]> {
  const progress = await context.output.progress(`Fetching ${wanted.length} skills`);
  // A single progress for all of them.
  const quiet = { ...context, output: { ...context.output, progress: async () => silent } };
  let done = 0;
  try {
    return await mapLimit([...wanted.entries()], atOnce, async ([i, one]) => {
      const location = join(temporary, String(i));
      await mkdir(location);
      const fetched = await fetchLocked(quiet, session, one, accepted[i]!, location);
      progress.update(++done, wanted.length);
      return { ...one, fetched };
    });
  } finally {
    progress.end();
  }
}

async function resolveAll(
  context: Context,
  session: Session,
  wanted: readonly WantedSkill[],
): Promise<ResolveResult[]> {
  const resolved = await mapLimit(wanted, atOnce, (one) => resolveLocked(session, one));
  // People read them before they decide about a publisher; programs find them in the result.
  if (!context.json)
    for (const warning of resolved.flatMap(publisherWarnings)) context.output.warn(plainLine(warning));
  return resolved;
}

async function resolveLocked(session: Session, wanted: WantedSkill): Promise<ResolveResult> {
  const { ref, locked } = wanted;
  const { client } = session;
  const profile = session.config.profiles[session.profile];
  let resolved: ResolveResult;
  try {
    resolved = await client.resolve(locked.publicId, String(locked.version), knownVersion(locked));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    refuseWithdrawn(profile, wanted, error.details);
    const what = {
      E_NOT_FOUND: `${ref} ${locked.semver} of svc.lock is not there (any more).`,
      E_NOT_AUTHENTICATED: `${ref} ${locked.semver} of svc.lock is not public, or not there.`,
    }[error.code as string];
    if (what === undefined) throw error;
    const way = client.options.token === undefined ? " If it is private, log in or set SVC_TOKEN." : "";
    const details = { ...error.details, kind: "skill" as const, ref };
    throw new CliError(error.code, what + way, details, { cause: error });
  }
  refuseWithdrawn(profile, wanted, resolved);
  const { skill, version } = resolved;
  const isThat =
    skill.publicId === locked.publicId &&
    version.version === locked.version &&
    version.semver === locked.semver &&
    version.hash === locked.digest &&
    (locked.frontmatter === undefined || version.frontmatterHash === locked.frontmatter) &&
    version.format === locked.format;
  if (isThat) return resolved;
  throw new CliError(
    "E_NETWORK",
    `The service has something else as ${ref} ${locked.semver} than svc.lock names (sha256 ` +
      `${locked.digest.slice(0, 12)}…): nothing was changed.`,
    { kind: "content", ref },
  );
}

/** The metadata in a text skill's files comes from the lock as well. */
async function fetchLocked(
  context: Context,
  { client }: Session,
  { locked }: WantedSkill,
  accepted: AcceptedVersion,
  location: string,
): Promise<FetchedVersion> {
  const { skill } = accepted;
  const { type, name = skill.name, description = skill.description } = locked;
  // A lock without the frontmatter's digest belongs to files that were rendered without the frontmatter.
  const { frontmatterHash, ...rest } = accepted.version;
  const isLocked = locked.frontmatter !== undefined && frontmatterHash !== undefined;
  const version = isLocked ? accepted.version : rest;
  const named = { ...accepted, skill: { ...skill, type, name, description }, version };
  return fetchVersion(client, context, named, location);
}
