/** Connecting an organization to a repository. One insert decides: its indexes keep organizations and branches apart. */
import { isDuplicate } from "../../storage/database.ts";
import type { ConnectionDoc, ConnectionHost } from "../../storage/connections.ts";
import { outboxFields } from "../../storage/outbox.ts";
import type { HostedRepository } from "../../repos/hosts/host.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, settleEvents } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { queueSync } from "../orgs/request-sync.ts";
import { loadTenant } from "../orgs/service.ts";
import { requireUser } from "../users/load.ts";
import { haveUsCalled } from "./notify.ts";
import { localRepositoryId, openDraftHost, refused, repositoryKeyOf, type DraftHost } from "./open-host.ts";
import type { ConnectRepository } from "./schema.ts";
import { askHost } from "./trouble.ts";

const pollMs = 5 * 60_000;

/** A repository that was looked at, and the branch that is meant. */
export interface Looked extends DraftHost {
  repository: HostedRepository;
  branch: string;
  repositoryId: string;
}

/** Looks at a repository that is to be connected. Throws `refused` with why it can't be. */
export async function lookAt(app: App, tenantId: string, input: ConnectRepository): Promise<Looked> {
  return askHost(async () => {
    const draft = await openDraftHost(app, tenantId, input);
    const repository = await draft.host.describe();
    if (repository.canPush === false)
      throw refused("These credentials may not push to the repository.", { reason: "auth_failed" });
    const branch = input.branch ?? repository.defaultBranch ?? "main";
    const repositoryId = input.host === "local" ? localRepositoryId(input.url) : repository.id;
    return { ...draft, repository, branch, repositoryId };
  });
}

/**
 * Connects, asks for a full sync, and where the host needs to be told has it call us. The member who does it is the author
 * of what is imported, so this needs a person.
 */
export async function connectRepository(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: ConnectRepository,
): Promise<ConnectionDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "githubSync:manage");
  const user = requireUser(actor);
  const present = await app.storage.connections.findOfTenant(tenant._id);
  if (present) throw isConnected(present);
  const looked = await lookAt(app, tenant._id, input);
  await requireBranch(looked);

  const now = app.now();
  const id = app.newId();
  const { host, facts, repository, repositoryId, branch } = looked;
  const event = makeEvent(app, actor, "repohost_sync.connect", {
    tenantId: tenant._id,
    resourceType: "repository",
    resourceId: id,
    metadata: { host: facts.kind, repository: repository.fullName, branch, mode: input.mode },
  });
  const connection: ConnectionDoc = {
    _id: id,
    tenantId: tenant._id,
    repositoryKey: repositoryKeyOf(app, facts.kind, repositoryId, tenant._id),
    host: hostOf(app, looked, input),
    ...sealedOf(app, looked, id),
    branch,
    connectedBy: { userId: user.userId, username: user.username, name: user.name },
    mode: input.mode,
    status: "active",
    wanted: 1,
    done: 0,
    fullWanted: 1,
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
  settleEvents(app, app.storage.connections, id, [event]);
  await haveUsCalled(app, connection, host);
  queueSync(app, id);
  return (await app.storage.connections.find(id)) ?? connection;
}

/** A branch that is to be made by the first push is one of an empty repository. */
async function requireBranch({ host, branch, repository }: Looked): Promise<void> {
  if (host.kind === "local" || branch === repository.defaultBranch) return;
  const head = await askHost(() => host.head(branch));
  if (head === undefined)
    throw refused(`The repository has no branch "${branch}": create it, or connect another one.`, {
      reason: "branch_missing",
    });
}

/** What a connection keeps of its host. */
export function hostOf(app: App, looked: Looked, input: ConnectRepository): ConnectionHost {
  const { facts, repositoryId, repository } = looked;
  return { ...facts, repositoryId, fullName: repository.fullName, url: addressOf(app, looked, input) };
}

/** The credential as it is kept; it opens under this id alone. */
export function sealedOf(app: App, { credential }: Looked, id: string): Pick<ConnectionDoc, "credential"> {
  return credential === undefined ? {} : { credential: app.secrets.seal(credential, id) };
}

function addressOf(app: App, { facts, repository }: Looked, input: ConnectRepository): string {
  if (facts.kind !== "local") return `${app.config.github.url}/${repository.fullName}`;
  return input.host === "local" ? localRepositoryId(input.url) : repository.fullName;
}

/** The second connection of an organization is told of its first; of another one's nothing is told. */
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
      ? `${where} is still being disconnected: try again in a moment. While its host can't be reached, that takes up to a day.`
      : `${where} is connected: disconnect it first.`;
  return new ServiceError("conflict", sentence, { kind: "repository" });
}
