/** The organization of a command: the only one, or the one selected by the user or `--team`. */
import type { Client } from "./api/client.ts";
import type { Context } from "./context.ts";
import { CliError } from "./errors.ts";
import { askOne, requireInteraction } from "./terminal/prompts.ts";

/** The id of the only organization; asks if there are several. */
export async function chooseTeam(context: Context, client: Client, question: string): Promise<string> {
  const tenants = await client.tenants();
  if (tenants.length === 0)
    throw new CliError(
      "E_NOT_FOUND",
      `You belong to no organization yet: create one at ${client.options.baseUrl}, or ask to be invited.`,
      { kind: "team" },
    );
  if (tenants.length === 1) return tenants[0]!.id;
  const names = tenants.map((tenant) => tenant.slug).join(", ");
  requireInteraction(
    context,
    "--team",
    `You belong to several organizations (${names}): choose one with --team.`,
  );
  return askOne(
    question,
    tenants.map((tenant) => ({ value: tenant.id, label: tenant.name, hint: tenant.slug })),
  );
}
