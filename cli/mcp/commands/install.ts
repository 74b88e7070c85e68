/** `svc mcp install`, loaded when it runs: the other commands of the group are parsed without it. */
import { type ListedServer, openMcpCalls } from "../../api/calls/mcp.ts";
import type { CommandResult } from "../../command.ts";
import type { Context } from "../../context.ts";
import { invalidArgument } from "../../errors.ts";
import type { ServerHead } from "../../state/mcp-servers.ts";
import { type Session, openSession } from "../../state/session.ts";
import { checkWritableState } from "../../state/state.ts";
import { centralServer } from "../central.ts";
import { describeEffects } from "../effects.ts";
import type { WantedEntry } from "../entries/plan.ts";
import { installServer } from "../install-server.ts";
import { presentMcpInstall } from "../present.ts";
import { centralId } from "../records.ts";
import { completeValues, parseVariables } from "../values.ts";
import { chooseVia } from "../via.ts";
import {
  detectMcpTargets,
  parseAlsoFiles,
  parseMcpTargets,
  wantedEntries,
  wantedProject,
} from "../wanted.ts";

interface InstallArguments extends EndpointArguments {
  ref: string;
  target: readonly string[];
  project: string | true | undefined;
  also: readonly string[];
}

/** `seen`: the server as a person has seen it, which is installed even if it was changed since then. */
export async function runInstall(
  context: Context,
  args: InstallArguments,
  seen?: ListedServer,
): Promise<CommandResult> {
  const given = parseMcpTargets(args.target);
  const also = parseAlsoFiles(args.also);
  const projectDir = await wantedProject(context, args.project);
  await checkWritableState(context);
  const session = await openSession(context);
  const place = async () =>
    wantedEntries(
      context,
      given.length > 0 ? given : await detectMcpTargets(context, projectDir),
      also,
      projectDir,
    );
  if (args.ref === "central") return installEndpoint(context, session, args, place);

  const found = seen ?? (await openMcpCalls(session.client.options).find(args.ref));
  const via = await chooseVia(context, found, args.via);
  if (via === "central") return installConnector(context, session, found, args, place);
  const supplied = parseVariables(args.var, found);
  const wanted = await place();
  const values = await completeValues(context, found, supplied);
  const { publicId, slug, tenantSlug, revision, transport } = found;
  const { entries, warnings } = await installServer(context, session, {
    profile: session.profile,
    head: { publicId, slug, tenantSlug, via },
    revision,
    server: found,
    wanted,
    values,
    force: args.force,
  });
  return presentMcpInstall(context, `${tenantSlug}/${slug}`, entries, {
    data: {
      server: { publicId, slug, tenantSlug, revision },
      via: transport === "stdio" ? undefined : via,
    },
    warnings,
    lines: seen ? [] : describeEffects(found),
  });
}

interface EndpointArguments {
  via: string | undefined;
  var: readonly string[];
  force: boolean;
}

/** Writes the entry of the endpoint without a connector. */
async function installEndpoint(
  context: Context,
  session: Session,
  args: EndpointArguments,
  place: () => Promise<WantedEntry[]>,
): Promise<CommandResult> {
  if (args.via === "local")
    throw invalidArgument("--via", "central has no address of its own: leave out --via.");
  refuseValues(args);
  // Without hosted connectors, the entry would lead nowhere.
  await openMcpCalls(session.client.options).connectors();
  const head: ServerHead = { publicId: centralId, slug: "central", tenantSlug: "svc", via: "central" };
  const { entries, warnings } = await writeEndpoint(context, session, head, 0, args, await place());
  return presentMcpInstall(context, "central", entries, { data: { via: "central" }, warnings });
}

/** Creates the user's connector to a server, and writes the entry of the endpoint. */
async function installConnector(
  context: Context,
  session: Session,
  server: ListedServer,
  args: EndpointArguments,
  place: () => Promise<WantedEntry[]>,
): Promise<CommandResult> {
  refuseValues(args);
  const wanted = await place();
  const { publicId, slug, tenantSlug, revision } = server;
  const { connectUrl, ...made } = await openMcpCalls(session.client.options).connect(publicId);
  const head: ServerHead = { publicId, slug, tenantSlug, via: "central" };
  const { entries, warnings } = await writeEndpoint(context, session, head, revision, args, wanted);
  const isConnected = made.connectionStatus === "connected";
  const { tenantId, connectionStatus, created } = made;
  return presentMcpInstall(context, `${tenantSlug}/${slug}`, entries, {
    data: {
      server: { publicId, slug, tenantSlug, revision },
      via: "central",
      connector: { publicId: made.publicId, slug: made.slug, tenantId, connectionStatus, created },
      connectUrl: isConnected ? undefined : connectUrl,
    },
    warnings,
    lines: isConnected ? [] : [`Connect it once in the browser: ${connectUrl}`],
  });
}

function refuseValues(args: EndpointArguments): void {
  if (args.var.length > 0)
    throw invalidArgument("--var", "Values of a hosted connector are given in the browser: leave out --var.");
}

function writeEndpoint(
  context: Context,
  session: Session,
  head: ServerHead,
  revision: number,
  { force }: EndpointArguments,
  wanted: readonly WantedEntry[],
) {
  const server = centralServer(context, session);
  const { profile } = session;
  return installServer(context, session, { profile, head, revision, server, wanted, values: {}, force });
}
