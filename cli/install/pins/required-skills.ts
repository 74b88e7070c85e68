/** Skills that the user's organizations require, and that are not installed at the user level. */
import type { RequiredCollectionPayload } from "../../../contract/payloads/skills/collections.ts";
import { type Target, targets as allTargets } from "../../../contract/vocabulary.ts";
import { listRequired } from "../../api/calls/required.ts";
import type { HttpOptions } from "../../api/http.ts";
import { unpinned } from "../../arguments/pins.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import type { Profile } from "../../state/config.ts";
import type { Session } from "../../state/session.ts";
import { isInstalled, machineOf } from "../../targets/detect.ts";
import { targetDefinitions } from "../../targets/index.ts";
import { fetchAndApply } from "../fetch-and-apply.ts";
import { presentInstall } from "../present-install.ts";
import { acceptForPreview, acceptPublisher, publisherWarnings, qualifiedName } from "../publisher.ts";
import { wantedInstalls } from "../wanted-installs.ts";

type RequiredSkill = RequiredCollectionPayload["skills"][number];

/** One row of `svc pull --team`. */
export interface RequiredInstall extends Pick<RequiredSkill, "publicId" | "slug" | "tenantSlug"> {
  outcome: "installed" | "failed";
  semver?: string;
  warnings: string[];
}

/** Each skill once. */
export async function missingRequired(
  options: HttpOptions,
  profile: Profile | undefined,
): Promise<RequiredSkill[]> {
  const installed = new Set(
    Object.values(profile?.installed ?? {})
      .filter(({ installs }) => installs.some(({ projectDir }) => projectDir === undefined))
      .map(({ publicId }) => publicId),
  );
  const skills = (await listRequired(options)).flatMap((collection) => collection.skills);
  const byId = new Map(skills.map((skill) => [skill.publicId, skill]));
  return [...byId.values()].filter(({ publicId }) => !installed.has(publicId));
}

/**
 * Installs them for the user into the given tools, by default into those of this machine. The failure of one stops no
 * other.
 */
export async function installRequired(
  context: Context,
  session: Session,
  { targets: given, dryRun }: { targets: readonly Target[]; dryRun: boolean },
): Promise<RequiredInstall[]> {
  const missing = await missingRequired(session.client.options, session.config.profiles[session.profile]);
  if (missing.length === 0) return [];
  const targets = given.length > 0 ? given : await targetsHere(context);
  const done: RequiredInstall[] = [];
  for (const [at, skill] of missing.entries()) {
    const { publicId, slug, tenantSlug } = skill;
    const work = () => installOne(context, session, skill, { targets, dryRun });
    const label = `Installing ${slug} (${at + 1} of ${missing.length})`;
    const result = await context.output.waiting(label, work).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      return { outcome: "failed" as const, warnings: [error.message] };
    });
    done.push({ publicId, slug, tenantSlug, ...result });
  }
  return done;
}

async function installOne(
  context: Context,
  session: Session,
  { publicId }: RequiredSkill,
  { targets, dryRun }: { targets: readonly Target[]; dryRun: boolean },
): Promise<Pick<RequiredInstall, "outcome" | "semver" | "warnings">> {
  const found = await session.client.resolve(publicId, unpinned);
  const resolved = dryRun
    ? acceptForPreview(found)
    : await acceptPublisher(context, session, found, { trust: undefined });
  const wanted = await wantedInstalls(context, { targets, also: [] }, undefined, undefined);
  const { fetched, applied } = await fetchAndApply(context, session, resolved, wanted, {
    range: unpinned,
    force: false,
    projectDir: undefined,
    recordedIn: undefined,
    shared: undefined,
    targets,
    also: [],
    dryRun,
  });
  await presentInstall(context, fetched, applied, {
    wanted,
    range: unpinned,
    dryRun,
    advice: publisherWarnings(resolved),
    profile: session.config.profiles[session.profile],
    service: session.client.options,
  });
  return { outcome: "installed", semver: fetched.version.semver, warnings: [] };
}

async function targetsHere(context: Context): Promise<Target[]> {
  const machine = machineOf(context);
  const found = await Promise.all(
    targetDefinitions.map(async (definition) =>
      (await isInstalled(definition, machine)) ? [definition.name] : [],
    ),
  );
  const names = found.flat();
  if (names.length > 0) return names;
  throw new CliError(
    "E_NO_TARGETS",
    `No supported AI tool was found on this machine: select tools with --target (${allTargets.join(", ")}).`,
  );
}

/** The row as a line. */
export const describeRequired = ({ outcome, semver, warnings, ...skill }: RequiredInstall): string =>
  [
    `${outcome}  ${qualifiedName(skill)}${semver === undefined ? "" : ` ${semver}`} (required)`,
    ...warnings.map((warning) => `  ${warning}`),
  ].join("\n");
