/**
 * Connects an organization to a repository. The unique indexes of the insert ensure one connection per organization and
 * branch.
 */
import type { HostedRepository, RepositoryHost } from "../../../repos/hosts/host.ts";
import type { ConnectionDoc, ConnectionHost } from "../../../storage/connections/connections.ts";
import { isDuplicate } from "../../../storage/database.ts";
import { outboxFields } from "../../../storage/outbox.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";
import { queueSync } from "../../queue/request-sync.ts";
import { requireUser } from "../../users/load.ts";
import { causeBy, makeConnectionEvent } from "./connection-event.ts";
import { ensureWebhook } from "./ensure-webhook.ts";
import { visitHost } from "./host-access.ts";
import { askHost, isConnectionEnded, noSuchBranch } from "./host-errors.ts";
import { requireEverySkill } from "./load.ts";
import { localRepositoryId, refused, repositoryKeyOf } from "./local-remote.ts";
import { openDraftHost, type DraftHost } from "./open-host.ts";
import type { ConnectRepository } from "./schema.ts";

const pollMs = 5 * 60_000;

/** A repository that was checked, and its branch to be connected. */
export interface InspectedRepository extends DraftHost {
  repository: HostedRepository;
  branch: string;
  repositoryId: string;
}

/**
 * Checks a repository that is to be connected or planned. Throws `refused` with the reason if it can't be connected.
 */
export async function inspectRepository(
  app: App,
  tenantId: string,
  input: ConnectRepository,
): Promise<InspectedRepository> {
  return askHost(async () => {
    const draft = await openDraftHost(app, tenantId, input);
    const repository = await draft.host.describe();
    if (repository.canPush === false)
      throw refused("These credentials may not push to the repository.", { reason: "auth_failed" });
    const branch = input.branch ?? repository.defaultBranch ?? "main";
    await requireBranch(app, draft.host, branch);
    const repositoryId = input.host === "local" ? localRepositoryId(input.url) : repository.id;
    return { ...draft, repository, branch, repositoryId };
  });
}

/**
 * Connects, requests a full sync, and creates a webhook if the host needs one. The member who connects is the author of
 * imported versions, so the caller must be a person.
 */
export async function connectRepository(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: ConnectRepository,
): Promise<ConnectionDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "githubSync:manage");
  const user = requireUser(actor);
  requireEverySkill(actor, tenant);
  const present = await app.storage.connections.findOfTenant(tenant._id);
  if (present) throw isConnected(present);
  const looked = await inspectRepository(app, tenant._id, input);

  const now = app.now();
  const id = app.newId();
  const { facts, repositoryId, branch } = looked;
  const made = { _id: id, tenantId: tenant._id, host: hostOf(app, looked, input), branch };
  const event = makeConnectionEvent(app, actor, "repohost_sync.connect", made, { mode: input.mode });
  const connection: ConnectionDoc = {
    ...made,
    repositoryKey: repositoryKeyOf(app, facts.kind, repositoryId, tenant._id),
    ...sealedOf(app, looked, id),
    connectedBy: { userId: user.userId, username: user.username, name: user.name },
    mode: input.mode,
    status: "active",
    wanted: 1,
    done: 0,
    fullWanted: 1,
    cause: causeBy(actor, "connected"),
    wantedSince: now,
    dueAt: now,
    pollAt: new Date(now.getTime() + pollMs),
    failures: 0,
    fence: 0,
    createdAt: now,
    updatedAt: now,
    ...outboxFields([event]),
  };
  try {
    await app.storage.connections.insert(connection);
  } catch (error) {
    throw await alreadyConnected(app, error, tenant._id);
  }
  flushEvents(app, app.storage.connections, id, [event]);
  await visitHost(app, connection, (host) => ensureWebhook(app, connection, host)).catch((error: unknown) => {
    if (!isConnectionEnded(error)) throw error;
  });
  queueSync(app, id);
  return (await app.storage.connections.find(id)) ?? connection;
}

/** Refuses a branch that does not exist. An empty repository gets its first branch from the first push. */
async function requireBranch(app: App, host: RepositoryHost, branch: string): Promise<void> {
  if ((await host.head(branch)) !== undefined) return;
  const found = await app.mirrors.inspect(await host.remote());
  if (!found.isEmpty) throw noSuchBranch(branch, found);
}

/** The host as the connection stores it. */
export function hostOf(app: App, looked: InspectedRepository, input: ConnectRepository): ConnectionHost {
  const { facts, repositoryId, repository } = looked;
  return { ...facts, repositoryId, fullName: repository.fullName, url: addressOf(app, looked, input) };
}

/** The encrypted credential, which can be decrypted only with this id. */
export function sealedOf(
  app: App,
  { credential }: InspectedRepository,
  id: string,
): Pick<ConnectionDoc, "credential"> {
  return credential === undefined ? {} : { credential: app.secrets.seal(credential, id) };
}

function addressOf(app: App, { facts, repository }: InspectedRepository, input: ConnectRepository): string {
  if (facts.kind !== "local") return `${app.config.github.url}/${repository.fullName}`;
  return input.host === "local" ? localRepositoryId(input.url) : repository.fullName;
}

/**
 * The error for an existing connection. It names the organization's own connection, never one of another organization.
 */
async function alreadyConnected(app: App, error: unknown, tenantId: string): Promise<unknown> {
  if (isDuplicate(error, "tenant_connection")) {
    const present = await app.storage.connections.findOfTenant(tenantId);
    if (present) return isConnected(present);
  }
  if (!isDuplicate(error, "connected_branch")) return error;
  return new ServiceError(
    "refused",
    "This branch of the repository is connected already: choose another branch or repository.",
    { kind: "repository", reason: "branch_connected" },
    { cause: error },
  );
}

function isConnected({ host, branch, status }: ConnectionDoc): ServiceError {
  const where = `${host.fullName} (${branch})`;
  const sentence =
    status === "disconnecting"
      ? `${where} is still being disconnected, since work on it has not ended yet: try again in a minute.`
      : `${where} is connected: disconnect it first.`;
  return new ServiceError("conflict", sentence, { kind: "repository" });
}
