/** Opens the code host of a connection or of a draft of one. Credentials are decrypted in this file only. */
import type { HostKind } from "../../../contract/vocabulary.ts";
import type { HostGuard } from "../../../repos/guard.ts";
import {
  findInstallation,
  openGitHubAppHost,
  openGitHubTokenHost,
  type GitHubConnection,
} from "../../../repos/hosts/github.ts";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import { openLocalHost } from "../../../repos/hosts/local.ts";
import type { ConnectionDoc, ConnectionHost } from "../../../storage/connections/connections.ts";
import type { App } from "../../app.ts";
import { addressRemote, directoryRemote, isAddress, notOffered, refused } from "./local-remote.ts";
import type { ConnectRepository } from "./schema.ts";
import { requireProof } from "./write-access-proof.ts";

const publicGitHub = "https://github.com";

/** Kinds of hosts that this service can connect to. */
export function offeredHosts({ config }: App): HostKind[] {
  return [...(config.github.app ? (["github-app"] as const) : []), "github-token", "local"];
}

/** Fields of a connection that are needed to open its host. */
export type HostFacts = Pick<ConnectionDoc, "_id" | "tenantId" | "host" | "credential">;

/** Opens the host of a connection, or of a draft of one, for one job. */
export async function openHost(
  app: App,
  connection: HostFacts,
  guard: HostGuard | undefined,
): Promise<RepositoryHost> {
  const { host, _id, credential } = connection;
  const secret = credential === undefined ? undefined : app.secrets.open(credential, _id);
  const repository = { id: host.repositoryId };
  if (host.kind === "github-token")
    return withCurrentName(
      app,
      connection,
      openGitHubTokenHost(gitHubConnection(app, guard), repository, secret ?? ""),
    );
  if (host.kind === "github-app") {
    const place = gitHubConnection(app, guard);
    const opened = openGitHubAppHost(place, gitHubApp(app), host.installationId ?? 0, repository);
    return withCurrentName(app, connection, opened);
  }
  const remote = isAddress(host.repositoryId)
    ? addressRemote(app, host.repositoryId, host.username, secret)
    : await directoryRemote(app, connection.tenantId, host.repositoryId);
  return openLocalHost({ remote: { ...remote, guard }, mirrors: app.mirrors });
}

/**
 * Updates the recorded name whenever the remote is read: a repository is identified by its number and may be renamed.
 */
function withCurrentName(app: App, { _id, host }: HostFacts, opened: RepositoryHost): RepositoryHost {
  return {
    ...opened,
    async remote() {
      const remote = await opened.remote();
      const fullName = remote.kind === "http" ? remote.fullName : undefined;
      if (fullName !== undefined && fullName !== host.fullName) {
        const set = { "host.fullName": fullName, "host.url": `${app.config.github.url}/${fullName}` };
        await app.storage.connections.change(_id, { set });
      }
      return remote;
    },
  };
}

/** A repository that is to be connected, before anything is read from its host. */
export interface DraftHost {
  host: RepositoryHost;
  /** Fields of the connection that do not come from the host. */
  facts: Pick<ConnectionHost, "kind" | "installationId" | "username">;
  /** Credential to be encrypted. */
  credential: string | undefined;
}

/** Throws `refused` for a repository that the service does not connect to, or without a proof of write access. */
export async function openDraftHost(
  app: App,
  tenantId: string,
  input: ConnectRepository,
): Promise<DraftHost> {
  const place = gitHubConnection(app);
  if (input.host === "github-token") {
    const host = openGitHubTokenHost(place, { fullName: input.repository }, input.token);
    return { host, facts: { kind: "github-token" }, credential: input.token };
  }
  if (input.host === "github-app") {
    const identity = gitHubApp(app);
    const host = await requireProof(app, tenantId, input.repository, async () => {
      const installationId = await findInstallation(place, identity, input.repository);
      return openGitHubAppHost(place, identity, installationId, { fullName: input.repository });
    });
    return {
      host,
      facts: { kind: "github-app", installationId: host.installationId },
      credential: undefined,
    };
  }
  const { username, password } = input;
  const remote = isAddress(input.url)
    ? addressRemote(app, input.url, username, password)
    : await directoryRemote(app, tenantId, input.url);
  return {
    host: openLocalHost({ remote, mirrors: app.mirrors }),
    facts: { kind: "local", username },
    credential: password,
  };
}

function gitHubConnection({ config }: App, guard?: HostGuard): GitHubConnection {
  const { url, apiUrl } = config.github;
  // The address of an Enterprise server is configured by the operator, and may be in a private network.
  const place = { webUrl: url, apiUrl, allowPrivateNetwork: url !== publicGitHub };
  return guard ? { ...place, guard } : place;
}

function gitHubApp({ config }: App) {
  const { app } = config.github;
  if (!app)
    throw refused("This service has no GitHub App: connect by a fine-grained token instead.", notOffered);
  return app;
}
