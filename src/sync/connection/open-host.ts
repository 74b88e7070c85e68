/** From a connection, or what somebody sent to make one, to its code host: credentials are opened here and nowhere else. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { HostGuard } from "../../../repos/guard.ts";
import {
  findInstallation,
  openGitHubAppHost,
  openGitHubTokenHost,
  type GitHubConnection,
} from "../../../repos/hosts/github.ts";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import { openLocalHost } from "../../../repos/hosts/local.ts";
import type { Remote } from "../../../repos/mirror/types.ts";
import type { HostKind } from "../../../contract/vocabulary.ts";
import type { ConnectionDoc, ConnectionHost } from "../../../storage/connections.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { requireProof } from "./write-access-proof.ts";
import type { ConnectRepository } from "./schema.ts";

const publicGitHub = "https://github.com";
/** Not an organization's id. */
const viewsFolder = ".svc-views";
const notOffered = { reason: "host_not_offered" };

/** The kinds of hosts that this service can connect to. */
export function offeredHosts({ config }: App): HostKind[] {
  return [...(config.github.app ? (["github-app"] as const) : []), "github-token", "local"];
}

/** The facts of a connection that lead to its host. */
export type HostFacts = Pick<ConnectionDoc, "_id" | "tenantId" | "host" | "credential">;

/** The host of a connection, for one job; or of what would be one. */
export async function openHost(
  app: App,
  connection: HostFacts,
  guard: HostGuard | undefined,
): Promise<RepositoryHost> {
  const { host, _id, credential } = connection;
  const secret = credential === undefined ? undefined : app.secrets.open(credential, _id);
  const repository = { id: host.repositoryId };
  if (host.kind === "github-token")
    return followingName(
      app,
      connection,
      openGitHubTokenHost(gitHubConnection(app, guard), repository, secret ?? ""),
    );
  if (host.kind === "github-app") {
    const place = gitHubConnection(app, guard);
    const opened = openGitHubAppHost(place, gitHubApp(app), host.installationId ?? 0, repository);
    return followingName(app, connection, opened);
  }
  const remote = isAddress(host.repositoryId)
    ? addressRemote(app, host.repositoryId, host.username, secret)
    : await directoryRemote(app, connection.tenantId, host.repositoryId);
  return openLocalHost({ remote: { ...remote, ...(guard ? { guard } : {}) }, mirrors: app.mirrors });
}

/** A repository is known by its number; what it is called is kept up to date by whoever asks for the way there. */
function followingName(app: App, { _id, host }: HostFacts, opened: RepositoryHost): RepositoryHost {
  return {
    ...opened,
    async remote() {
      const remote = await opened.remote();
      const fullName = remote.kind === "http" ? remote.fullName : undefined;
      if (fullName !== undefined && fullName !== host.fullName)
        await app.storage.connections.rename(_id, { fullName, url: `${app.config.github.url}/${fullName}` });
      return remote;
    },
  };
}

/** A repository that somebody wants to connect: not looked at yet. */
export interface DraftHost {
  host: RepositoryHost;
  /** All of a connection's but what the host itself tells. */
  facts: Pick<ConnectionHost, "kind" | "installationId" | "username">;
  /** What is to be sealed. */
  credential: string | undefined;
}

/** Throws `refused` for what this service does not connect to, and for want of a proof. */
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
    facts: { kind: "local", ...(username === undefined ? {} : { username }) },
    credential: password,
  };
}

/** What no two connections may have with one branch. */
export function repositoryKeyOf(app: App, kind: HostKind, repositoryId: string, tenantId: string): string {
  if (kind !== "local") return `github:${app.config.github.apiUrl}:${repositoryId}`;
  if (!isAddress(repositoryId)) return `directory:${tenantId}/${repositoryId}`;
  return `address:${repositoryId.replace(/(\.git)?\/*$/, "")}`;
}

/** What a local repository goes by: its address in one spelling, or the name of its directory. */
export function localRepositoryId(url: string): string {
  return isAddress(url) ? new URL(url).href.replace(/\/+$/, "") : url;
}

function gitHubConnection({ config }: App, guard?: HostGuard): GitHubConnection {
  const { url, apiUrl } = config.github;
  // An Enterprise server's address is the operator's word, and may be in their own network.
  const place = { webUrl: url, apiUrl, allowPrivateNetwork: url !== publicGitHub };
  return guard ? { ...place, guard } : place;
}

function gitHubApp({ config }: App) {
  const { app } = config.github;
  if (!app)
    throw refused("This service has no GitHub App: connect by a fine-grained token instead.", notOffered);
  return app;
}

const isAddress = (url: string) => url.includes("://");

/**
 * A git server anywhere. Private addresses are refused here as far as they are told by name, and by every connection
 * that is made (`repos/transport/address.ts`).
 */
function addressRemote(
  app: App,
  address: string,
  username: string | undefined,
  password: string | undefined,
): Remote {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const allowPrivateNetwork = app.config.syncPrivateNetwork;
  const isUsable = url?.protocol === "https:" || (url?.protocol === "http:" && allowPrivateNetwork);
  if (!url || !isUsable)
    throw refused("The address of a repository begins with https://.", { reason: "remote_forbidden" });
  if (url.username !== "" || url.password !== "")
    throw refused("Send user name and password beside the address, not in it.");
  if (url.search !== "" || url.hash !== "") throw refused("The address has a query or a fragment.");
  if (url.hostname === new URL(app.config.github.url).hostname)
    throw refused("This repository is at GitHub: connect it by the App, or by a fine-grained token.");
  const basic = Buffer.from(`${username ?? "git"}:${password ?? ""}`).toString("base64");
  return {
    kind: "http",
    url: localRepositoryId(address),
    ...(password === undefined ? {} : { authorization: `Basic ${basic}` }),
    allowPrivateNetwork,
  };
}

/**
 * A bare repository in the organization's own folder below the one that the operator named: what lies beside it is
 * another's. Links that lead out of it are not followed.
 */
async function directoryRemote(app: App, tenantId: string, name: string): Promise<Remote> {
  const root = app.config.localRepositories;
  if (root === undefined)
    throw refused(
      "This service connects no repositories on its own machine: send an https address.",
      notOffered,
    );
  const names = name.split("/");
  const isPlain = names.length <= 8 && names.every((part) => /^\w[\w.-]{0,99}$/.test(part));
  const own = path.join(root, tenantId);
  const [realOwn, real] = await Promise.all([realOf(own), realOf(path.join(own, ...names))]);
  if (!isPlain || realOwn === undefined || !real?.startsWith(realOwn + path.sep))
    throw refused(
      `There is no bare repository "${tenantId}/${name.slice(0, 100)}" on the service's machine.`,
      { reason: "remote_missing" },
    );
  return { kind: "directory", path: real, views: path.join(root, viewsFolder) };
}

async function realOf(place: string): Promise<string | undefined> {
  try {
    return await realpath(place);
  } catch {
    return undefined;
  }
}

export function refused(message: string, details: Record<string, unknown> = {}): ServiceError {
  return new ServiceError("refused", message, { kind: "repository", ...details });
}
