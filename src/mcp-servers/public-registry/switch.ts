/** The switch of an organization for the interface of the public registry. It is off until someone turns it on. */
import { limits } from "../../../contract/limits.ts";
import type { McpRegistryPayload } from "../../../contract/payloads/mcp-servers.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import { isAllowedIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { forbidden } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";
import { keepAllowedServers } from "../load.ts";
import { toServerJson } from "./server-json.ts";
import { withoutRestricted } from "./service.ts";

export async function readSwitch(app: App, actor: Actor, tenantRef: string): Promise<McpRegistryPayload> {
  return present(app, actor, await loadTenant(app, actor, tenantRef, "member"));
}

/** Requires `organization:update`, and `mcpServer:update` too, since it decides who can read the servers. */
export async function changeSwitch(
  app: App,
  actor: Actor,
  tenantRef: string,
  enabled: boolean,
): Promise<McpRegistryPayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "organization:update");
  if (!isAllowedIn(actor, "mcpServer:update", tenant._id, null))
    throw forbidden(`Your role or token does not allow mcpServer:update in "${tenant.slug}".`);
  const event = makeEvent(app, actor, "organization.updated", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: { mcpRegistry: enabled },
  });
  const updated = await app.storage.tenants.change(tenant._id, {
    when: { mcpRegistry: { $exists: !enabled } },
    patch: { mcpRegistry: enabled ? true : null },
    now: app.now(),
    events: [event],
  });
  if (updated) flushEvents(app, app.storage.tenants, tenant._id, [event]);
  return readSwitch(app, actor, tenant._id);
}

async function present(app: App, actor: Actor, tenant: TenantDoc): Promise<McpRegistryPayload> {
  const { _id: tenantId, slug, mcpRegistry: enabled = false } = tenant;
  const state = { enabled, url: `${app.config.baseUrl}/${slug}/mcp` };
  if (!isAllowedIn(actor, "mcpServer:read", tenantId, null)) return state;
  const all = await app.storage.mcpServers.list([tenantId], undefined, limits.mcpServersPerOrganization);
  const seen = await keepAllowedServers(app, actor, "mcpServer:read", all);
  const servers = seen.map(({ server }) => server);
  const open = new Set(await withoutRestricted(app, actor, servers));
  const reasons = servers.map((server) => {
    if (!open.has(server)) return { slug: server.slug, reason: "It is in a restricted folder." };
    const entry = toServerJson(server, server.slug);
    return { slug: server.slug, reason: "problem" in entry ? entry.problem : null };
  });
  return {
    ...state,
    listed: reasons.flatMap(({ slug: one, reason }) => (reason === null ? [one] : [])),
    omitted: reasons.flatMap(({ slug: one, reason }) => (reason === null ? [] : [{ slug: one, reason }])),
  };
}
