/**
 * `/{org}/.well-known/opencode`: what OpenCode takes over from an organization, `opencode auth login <address>`. It has
 * public addresses only: the command prints no secret, and the MCP endpoint asks each person to sign in.
 */
import { limits } from "../../../contract/limits.ts";
import { placeholdersIn } from "../../../contract/mcp-servers.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { nothingAt } from "../../errors.ts";
import { Reply, type RequestInfo } from "../../http/route.ts";
import { withoutRestricted } from "../../mcp-servers/public-registry/service.ts";
import { countRequest } from "../public-reply.ts";
import { listPublicSkills } from "../public-skills.ts";

/** OpenCode requires a command whose output it keeps as a token. It is used nowhere. */
const auth = { command: ["echo", "public"], env: "SVC_OPENCODE" };

export async function sendOpencodeConfig(
  app: App,
  actor: Actor,
  request: RequestInfo,
  org: string,
): Promise<Reply> {
  await countRequest(app, actor, "search");
  const found = await listPublicSkills(app, actor.origin, org, { limit: limits.indexedSkills });
  if (!found) throw nothingAt(request.path);
  const { tenant } = found;
  const { baseUrl } = app.config;
  const config = {
    $schema: "https://opencode.ai/config.json",
    skills: { urls: [`${baseUrl}/${tenant.slug}/.well-known/skills/`] },
    mcp: {
      svc: { type: "remote", url: `${baseUrl}/mcp`, enabled: true },
      ...(await publicServers(app, actor, tenant)),
    },
  };
  return new Reply(
    { auth, config },
    {
      type: "application/json",
      headers: { "cache-control": "public, no-cache" },
    },
  );
}

/** Remote servers that the organization shows to anyone, for each person to turn on. */
async function publicServers(app: App, actor: Actor, tenant: TenantDoc): Promise<Record<string, object>> {
  if (!tenant.mcpRegistry) return {};
  const all = await app.storage.mcpServers.list([tenant._id], undefined, limits.mcpServersPerOrganization);
  const open = await withoutRestricted(app, { kind: "anonymous", origin: actor.origin }, all);
  const servers = open.flatMap(({ slug, config: { url, headers } }) =>
    url === undefined || placeholdersIn(url).length > 0 || headers.some(({ kind }) => kind === "member")
      ? []
      : [[slug, { type: "remote", url, enabled: false }] as const],
  );
  return Object.fromEntries(servers.filter(([slug]) => slug !== "svc"));
}
