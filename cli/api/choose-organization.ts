/** The organization of a command: the one of `--org`, the only one of the caller, or the one that a person selects. */
import type { FlagShape } from "../arguments/command-shape.ts";
import type { Context } from "../context.ts";
import { CliError, notFound } from "../errors.ts";
import { askOne } from "../terminal/prompts.ts";
import type { Client } from "./client.ts";

export const orgFlag = {
  value: "required",
  hint: "id-or-slug",
  form: "organization",
  description: "Organization; not needed when you belong to one only",
} as const satisfies FlagShape;

export interface Organization {
  id: string;
  slug: string;
  name: string;
}

/**
 * Selects one of the caller's organizations by `given`: its id, slug or a previous slug. Without it, the only one is
 * selected, or a person is asked. Throws `E_NOT_FOUND`, and for programs with several organizations
 * `E_INTERACTION_REQUIRED` with `details.organizations`.
 */
export async function chooseOrganization(
  context: Context,
  client: Client,
  given: string | undefined,
  question: string,
): Promise<Organization> {
  const own = await client.tenants();
  const organizations = own.map(({ id, slug, name }) => ({ id, slug, name }));
  if (given !== undefined) {
    const wanted = given.trim();
    // A slug may be the id of another organization, which is meant then.
    const at = [
      own.findIndex(({ id }) => id === wanted),
      own.findIndex(({ slug }) => slug === wanted.toLowerCase()),
      own.findIndex(({ formerSlugs }) => formerSlugs?.includes(wanted.toLowerCase())),
    ].find((index) => index !== -1);
    if (at !== undefined) return organizations[at]!;
    const known = organizations.length === 0 ? "" : ` Yours: ${slugsOf(organizations)}.`;
    throw notFound("team", given, `Organization not found, or you don't have access to it.${known}`);
  }
  if (organizations.length === 0)
    throw new CliError(
      "E_NOT_FOUND",
      `You belong to no organization yet: create one at ${client.options.baseUrl}, or ask to be invited.`,
      { kind: "team" },
    );
  if (organizations.length === 1) return organizations[0]!;
  if (!context.interactive)
    throw new CliError(
      "E_INTERACTION_REQUIRED",
      `You belong to several organizations (${slugsOf(organizations)}): choose one with --org.`,
      { flag: "--org", organizations },
    );
  return askOne(
    question,
    organizations.map((one) => ({ value: one, label: one.name, hint: one.slug })),
  );
}

function slugsOf(organizations: readonly Organization[]): string {
  return organizations.map(({ slug }) => slug).join(", ");
}
