/** The value of `--requires-mcp`. */
import { patterns } from "../api/shapes.ts";
import type { Client } from "../api/client.ts";

/**
 * The servers that a skill is to require; undefined without the flag, empty for an empty value. A server without its
 * organization, or an id, is looked up; throws `E_NOT_FOUND` and `E_AMBIGUOUS`.
 */
export async function parseRequired(
  client: Client,
  given: readonly string[],
): Promise<{ tenantSlug: string; slug: string }[] | undefined> {
  if (given.length === 0) return undefined;
  const refs = new Set(given.flatMap((list) => list.split(",")).map((ref) => ref.trim()));
  refs.delete("");
  if (refs.size === 0) return [];
  return Promise.all([...refs].map((ref) => findRequired(client, ref)));
}

async function findRequired(client: Client, ref: string): Promise<{ tenantSlug: string; slug: string }> {
  const [tenantSlug = "", slug = "", ...rest] = ref.split("/");
  if (rest.length === 0 && [tenantSlug, slug].every((part) => patterns.slug.test(part)))
    return { tenantSlug, slug };
  const { openMcpCalls } = await import("../api/mcp-calls.ts");
  const found = await openMcpCalls(client.options).find(ref);
  return { tenantSlug: found.tenantSlug, slug: found.slug };
}
