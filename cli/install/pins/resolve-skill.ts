/** Look-up of a skill by the name that a user typed, which may be the name of an installed skill. */
import type { ResolveResult } from "../../../contract/payloads/skills/skills.ts";
import { CliError } from "../../errors.ts";
import type { Session } from "../../state/session.ts";

/**
 * Resolves a slug, `org/slug`, public id or share URL, also of a skill of which no version can be installed. A name
 * that the service does not resolve may be that of an installed skill of another organization.
 */
export async function resolveSkill(session: Session, ref: string): Promise<ResolveResult> {
  const { client, config, profile } = session;
  try {
    return await client.find(ref);
  } catch (error) {
    const installed = config.profiles[profile]?.installed ?? {};
    const isUnresolved = error instanceof CliError && ["E_NOT_FOUND", "E_AMBIGUOUS"].includes(error.code);
    if (!isUnresolved || !Object.hasOwn(installed, ref)) throw error;
    return client.find(installed[ref]!.publicId);
  }
}
