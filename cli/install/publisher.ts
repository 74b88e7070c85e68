/**
 * Consent to a publisher. Every install needs it: `fetchVersion` accepts only versions with consent.
 *
 * Anyone can publish a skill of any name. A skill of the user's own organizations is installed without a question; any
 * other organization needs one decision, which is kept by the organization's id, since another
 * organization can take over the name. Installed and locked skills are identified by their id and never by their name.
 */
import type { ResolveResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { isSameService } from "../api/address.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import type { LockedSkill } from "../project/lock.ts";
import { type InstalledSkill, type Profile, profileOf } from "../state/config.ts";
import type { Session } from "../state/session.ts";
import { changeConfig } from "../state/state.ts";
import { askYes } from "../terminal/prompts.ts";

declare const accepted: unique symbol;

/** A version whose publisher the user consented to. Created in this file only. */
export type AcceptedVersion = ResolveResult & { readonly [accepted]: true };

const accept = (resolved: ResolveResult) => resolved as AcceptedVersion;

/** A version that is only looked at: a dry run asks no one, and installs nothing. */
export const acceptForPreview = accept;

/** Warnings of the publisher about a version; services of earlier versions send none. */
export function publisherWarnings({ warnings }: ResolveResult): string[] {
  const given: unknown = warnings;
  return Array.isArray(given) ? given.filter((warning) => typeof warning === "string") : [];
}

/** The name of a skill with its organization. */
export const qualifiedName = ({ tenantSlug, slug }: Pick<SkillPayload, "tenantSlug" | "slug">) =>
  `${tenantSlug}/${slug}`;

/**
 * Consent to install what a reference resolved to. `trust`: the organization that `--trust` names; `ref`: the
 * reference, if the caller typed it. For a program, one that names the publisher is its decision for this skill. Asks
 * a person about an organization that is new to the user; throws `E_INTERACTION_REQUIRED` where no one can answer, and
 * `E_VERSION_CHANGED` if the name of an installed skill now refers to another skill.
 */
export async function acceptPublisher(
  context: Context,
  session: Session,
  resolved: ResolveResult,
  { trust, ref }: { trust: string | undefined; ref?: string },
): Promise<AcceptedVersion> {
  const { skill } = resolved;
  const profile = session.config.profiles[session.profile];
  refuseNamesake(profile, skill);
  if (resolved.own || isTrusted(session, profile, skill) || isInstalled(profile, skill))
    return accept(resolved);
  const isNamed =
    ref !== undefined && namesPublisher(ref, skill) && !isNameTakenOver(session, profile, skill);
  if (context.json && trust === undefined && isNamed) return accept(resolved);
  if (trust !== skill.tenantSlug) await askForTrust(context, session, skill);
  await rememberPublisher(context, session, skill);
  return accept(resolved);
}

/** Whether a reference can't lead to a skill of another publisher: a share address, an id, or `org/slug`. */
function namesPublisher(ref: string, skill: SkillPayload): boolean {
  return ref === skill.publicId || ref.endsWith(`/s/${skill.publicId}`) || ref === qualifiedName(skill);
}

/**
 * Consent to another version of an installed skill: the same skill of the same organization, even if renamed.
 */
export function acceptInstalled(installed: InstalledSkill, resolved: ResolveResult): AcceptedVersion {
  const { publicId, tenantId } = resolved.skill;
  const isSame =
    publicId === installed.publicId && (installed.tenantId === undefined || installed.tenantId === tenantId);
  if (isSame) return accept(resolved);
  throw changedSkill(
    qualifiedName(installed),
    installed.publicId,
    publicId,
    `The service has another skill under the id of ${qualifiedName(installed)}, so nothing was installed. If the ` +
      "publisher moved it, uninstall it and install it by its new name.",
  );
}

/**
 * Consent to the skills of a lock. A lock that names the organization is a decision of its reviewers, provided that the
 * name still refers to the locked skill; a slug alone does not name a publisher, so it needs consent as on install.
 */
export async function acceptLocked(
  context: Context,
  session: Session,
  { ref, locked }: { ref: string; locked: LockedSkill },
  resolved: ResolveResult,
  trust: string | undefined,
): Promise<AcceptedVersion> {
  const { skill } = resolved;
  const isId = ref === locked.publicId || ref.endsWith(`/s/${locked.publicId}`);
  if (isId || ref === qualifiedName(skill)) return accept(resolved);
  if (ref === skill.slug) return acceptPublisher(context, session, resolved, { trust });
  // A renamed organization: its previous name still leads to its skills, unless another organization took it.
  const named = await session.client.resolve(ref).catch((error: unknown) => {
    if (error instanceof CliError && ["E_NOT_FOUND", "E_NOT_AUTHENTICATED"].includes(error.code))
      return undefined;
    throw error;
  });
  if (named?.skill.publicId === locked.publicId) return accept(resolved);
  throw changedSkill(
    ref,
    locked.publicId,
    named?.skill.publicId,
    `svc.lock names a skill ${ref} that is ${qualifiedName(skill)} on the service: nothing was changed. If you ` +
      `trust that publisher, run svc install ${qualifiedName(skill)} -p and remove ${ref} from svc.json.`,
  );
}

/** Refuses to replace a locked skill of a project by another one that took its name. */
export function refuseReplaced(lock: ReadonlyMap<string, LockedSkill> | undefined, skill: SkillName): void {
  const ref = qualifiedName(skill);
  const locked = lock?.get(ref);
  if (locked === undefined || locked.publicId === skill.publicId) return;
  throw changedSkill(
    ref,
    locked.publicId,
    skill.publicId,
    `${ref} is not the skill in svc.lock any more: that skill was deleted, or another organization took its ` +
      `name. To accept the new one, remove ${ref} from svc.json and svc.lock first.`,
  );
}

type SkillName = Pick<SkillPayload, "publicId" | "slug" | "tenantSlug">;

function refuseNamesake(profile: Profile | undefined, skill: SkillPayload): void {
  const ref = qualifiedName(skill);
  const [installName, installed] =
    Object.entries(profile?.installed ?? {}).find(
      ([, one]) => qualifiedName(one) === ref && one.publicId !== skill.publicId,
    ) ?? [];
  if (installed === undefined || installName === undefined) return;
  throw changedSkill(
    ref,
    installed.publicId,
    skill.publicId,
    `${ref} is not the installed skill any more: that skill was deleted, or another organization took its name. ` +
      `To accept the new one, run svc uninstall ${installName} first.`,
  );
}

function changedSkill(ref: string, from: string, to: string | undefined, message: string): CliError {
  const details = { kind: "skill" as const, ref, skill: ref, from, to };
  return new CliError("E_VERSION_CHANGED", message, details);
}

function isTrusted({ apiUrl }: Session, profile: Profile | undefined, { tenantId }: SkillPayload): boolean {
  return (profile?.trustedPublishers ?? []).some(
    (publisher) => publisher.tenantId === tenantId && isSameService(publisher.service, apiUrl),
  );
}

/** Whether the user trusts another organization that had this name. */
function isNameTakenOver(session: Session, profile: Profile | undefined, skill: SkillPayload): boolean {
  const known = (profile?.trustedPublishers ?? []).filter(({ slug }) => slug === skill.tenantSlug);
  return known.length > 0 && !isTrusted(session, profile, skill);
}

/** Whether the skill is installed already: in another location, or by a version of svc that did not ask. */
function isInstalled(profile: Profile | undefined, { publicId }: SkillPayload): boolean {
  return Object.values(profile?.installed ?? {}).some((installed) => installed.publicId === publicId);
}

async function askForTrust(context: Context, { client }: Session, skill: SkillPayload): Promise<void> {
  const { tenantSlug } = skill;
  const isSignedOut = client.options.token === undefined;
  const why = isSignedOut
    ? `You are not logged in, so ${tenantSlug} is not known to be one of your organizations.`
    : `${tenantSlug} is not one of your organizations.`;
  if (!context.interactive)
    throw new CliError(
      "E_INTERACTION_REQUIRED",
      `${why} To install ${qualifiedName(skill)}, add --trust ${tenantSlug}${isSignedOut ? ", or log in" : ""}.`,
      { flag: "--trust", kind: "team", ref: tenantSlug },
    );
  await askYes(`${why} Install ${qualifiedName(skill)}, and trust ${tenantSlug} from now on?`);
}

async function rememberPublisher(
  context: Context,
  { apiUrl, profile: name }: Session,
  { tenantId, tenantSlug }: SkillPayload,
): Promise<void> {
  await changeConfig(context, async ({ config, save }) => {
    const profile = profileOf(config, name);
    const publisher = { service: new URL(apiUrl).origin, tenantId, slug: tenantSlug };
    profile.trustedPublishers = [...(profile.trustedPublishers ?? []), publisher];
    await save();
  });
}
