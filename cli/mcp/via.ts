/** The two ways to install a remote server. */
import type { McpInstallMode } from "../../contract/vocabulary.ts";
import type { ListedServer } from "../api/calls/mcp.ts";
import type { Context } from "../context.ts";
import { interactionRequired, invalidArgument } from "../errors.ts";
import { askOne } from "../terminal/prompts.ts";

/** Throws `E_INTERACTION_REQUIRED` for a remote server without `--via`, unless a person can choose. */
export async function chooseVia(
  context: Context,
  { tenantSlug, slug, transport }: ListedServer,
  given: string | undefined,
): Promise<McpInstallMode> {
  if (transport === "stdio" && given === "central")
    throw invalidArgument(
      "--via",
      `${tenantSlug}/${slug} runs on your machine, so it has no hosted connector: leave out --via.`,
      { kind: "mcpServer", ref: `${tenantSlug}/${slug}` },
    );
  if (given !== undefined) return given as McpInstallMode;
  if (transport !== "http") return "local";
  if (!context.interactive)
    throw interactionRequired(
      "--via",
      `${tenantSlug}/${slug} is a remote server: pass --via local or --via central.`,
    );
  return askOne<McpInstallMode>("How should your tools reach it?", [
    { value: "local", label: "Directly", hint: "with your own values in each tool" },
    { value: "central", label: "Through a hosted connector", hint: "you connect once, in the browser" },
  ]);
}
