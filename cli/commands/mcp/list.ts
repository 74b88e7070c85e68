import { type ListedConnector, type ListedServer, openMcpCalls } from "../../api/calls/mcp.ts";
import { type CommandResult, defineCommand } from "../../command.ts";
import { centralId, installedServers, targetsOf } from "../../mcp/records.ts";
import type { InstalledMcpServer } from "../../state/mcp-servers.ts";
import { openSession } from "../../state/session.ts";
import { renderTable } from "../../terminal/table.ts";

export const mcpList = defineCommand({
  positionals: {},
  flags: {},
  examples: ["svc mcp list", "svc mcp list -o json"],
  async run(context): Promise<CommandResult> {
    const { client, config, profile } = await openSession(context);
    const calls = openMcpCalls(client.options);
    const own = installedServers(config.profiles[profile]);
    const isHosted = own.some(({ via, publicId }) => via === "central" && publicId !== centralId);
    const [servers, connectors] = await Promise.all([
      calls.list(),
      // The list is complete without their status.
      isHosted ? calls.connectors().catch(() => []) : [],
    ]);
    const data = servers.map((server) => presentServer(server, own, connectors));
    const { columns, paint, note } = context.output;
    const unlisted = own.filter(
      (one) => one.publicId !== centralId && !servers.some(({ publicId }) => publicId === one.publicId),
    );
    for (const ref of new Set(unlisted.map(({ tenantSlug, slug }) => `${tenantSlug}/${slug}`)))
      note(`${ref} is installed, and no longer in the registry: svc mcp uninstall ${ref} removes it.`);
    return {
      data,
      text:
        data.length === 0
          ? "Your organizations have no MCP servers."
          : renderTable(
              ["SERVER", "TRANSPORT", "INSTALLED", "ADDRESS"],
              data.map((one) => [
                `${one.tenantSlug}/${one.slug}`,
                one.transport,
                describe(one),
                one.url ?? one.command ?? "",
              ]),
              { columns, paintHead: (text) => paint("bold", text) },
            ),
    };
  },
});

function presentServer(
  server: ListedServer,
  all: readonly InstalledMcpServer[],
  connectors: readonly ListedConnector[],
) {
  const { publicId, slug, tenantSlug, transport, command = null, url = null, revision } = server;
  const own = all.filter((one) => one.publicId === publicId && targetsOf(one).length > 0);
  const local = own.find(({ via }) => via === "local");
  const isOutdated = local?.installs.some((record) => record.revision < revision) === true;
  const targets = [...new Set(own.flatMap(targetsOf))];
  const hosted = own.filter(({ via }) => via === "central").flatMap(targetsOf);
  const connector =
    hosted.length > 0 ? connectors.find((one) => one.server?.publicId === publicId) : undefined;
  return {
    publicId,
    slug,
    tenantSlug,
    transport,
    command,
    url,
    revision,
    installed:
      own.length === 0
        ? null
        : {
            targets,
            updateAvailable: isOutdated,
            hostedTargets: local !== undefined && hosted.length > 0 ? hosted : undefined,
          },
    via: own.length === 0 ? undefined : local === undefined ? ("central" as const) : ("local" as const),
    central:
      connector === undefined
        ? undefined
        : {
            connectionStatus: connector.connectionStatus,
            needsReconnect: connector.needsReconnect,
          },
  };
}

function describe({ installed, central }: ReturnType<typeof presentServer>): string {
  if (installed === null) return "";
  const notes = [
    ...(installed.hostedTargets === undefined
      ? []
      : [`${installed.hostedTargets.join(", ")} through a hosted connector`]),
    ...(installed.updateAvailable ? ["update available"] : []),
    ...(central === undefined || central.connectionStatus === "connected" ? [] : [central.connectionStatus]),
  ];
  return installed.targets.join(", ") + (notes.length === 0 ? "" : ` (${notes.join(", ")})`);
}
