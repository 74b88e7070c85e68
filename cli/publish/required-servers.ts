/** The value of `--requires-mcp`. */
import type { Client } from "../api/client.ts";
import { patterns } from "../api/shapes.ts";
import { invalidArgument } from "../errors.ts";

/**
 * The servers that a skill is to require; undefined without the flag, empty for an empty value. A server without its
 * organization, or an id, is looked up; throws `E_NOT_FOUND` and `E_AMBIGUOUS`.
 */
export async function parseRequired(
  client: Client,
  given: readonly string[],
): Promise<{ tenantSlug: string; slug: string }[] | undefined> {
  if (given.length === 0) return undefined;
  return Promise.all(refsIn(given).map((ref) => findRequired(client, ref)));
}

/** Throws if servers are to be required by a skill that is not private. */
export function refuseRequiredUnlessPrivate(given: readonly string[], visibility: string | undefined): void {
  if (visibility === undefined || visibility === "private" || refsIn(given).length === 0) return;
  throw invalidArgument(
    "--visibility",
    "Only a private skill can require MCP servers: leave --visibility out, or leave --requires-mcp out.",
  );
}

function refsIn(given: readonly string[]): string[] {
  const refs = new Set(given.flatMap((list) => list.split(",")).map((ref) => ref.trim()));
  refs.delete("");
  return [...refs];
}

async function findRequired(client: Client, ref: string): Promise<{ tenantSlug: string; slug: string }> {
  const [tenantSlug = "", slug = "", ...rest] = ref.split("/");
  if (rest.length === 0 && [tenantSlug, slug].every((part) => patterns.slug.test(part)))
    return { tenantSlug, slug };
  const { openMcpCalls } = await import("../api/calls/mcp.ts");
  const found = await openMcpCalls(client.options).find(ref);
  return { tenantSlug: found.tenantSlug, slug: found.slug };
}
