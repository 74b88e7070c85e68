/**
 * Repositories at GitHub, by an App or by a fine-grained token. A repository is identified by its number, so that a new
 * owner of the name of a renamed or deleted repository gains no access.
 */
import { createAppAuth } from "@octokit/auth-app";
import { keepSuccess } from "../../contract/concurrency/keep-success.ts";
import { RepoError } from "../errors.ts";
import type { Remote } from "../mirror/types.ts";
import {
  askGitHub,
  openGitHubClient,
  statusOf,
  type GitHubAddress,
  type GitHubClient,
} from "./github-client.ts";
import { gitHubPulls, lacksPulls } from "./github-pulls.ts";
import type { BranchHead, HostedRepository, RepositoryHost } from "./host.ts";

export interface GitHubConnection extends GitHubAddress {
  /** Base address of repositories: `https://github.com`. */
  webUrl: string;
  /** For an Enterprise server in one's own network. */
  allowPrivateNetwork: boolean;
}

/** A repository by its number, or by its name until the number is known. */
export type GitHubRepository = { id: string } | { fullName: string };

const hooksPerPage = 100;
const namePattern = /^[\w.-]{1,100}\/[\w.-]{1,100}$/;

/** The answer's part that is used; everything in it is checked. */
interface RepositoryFacts {
  id: number;
  full_name: string;
  default_branch?: string;
  size?: number;
  permissions?: { push?: boolean };
}

/**
 * A repository by a fine-grained personal access token with contents and webhooks: write, and for pull requests those
 * as well.
 */
export function openGitHubTokenHost(
  place: GitHubConnection,
  repository: GitHubRepository,
  token: string,
): RepositoryHost {
  const client = openGitHubClient(place, token);
  const facts = () => readRepository(client, repository);
  const hooksOf = async (at: { owner: string; repo: string }) =>
    (
      await askGitHub("Looking for the webhook", () =>
        client.rest.repos.listWebhooks({ ...at, per_page: hooksPerPage }),
      )
    ).data;
  return {
    kind: "github-token",
    async describe() {
      const found = await facts();
      // The account's permissions. A token may be narrower, which only a push shows.
      return presentRepository(found, found.permissions?.push === false ? false : undefined);
    },
    remote: async () => remoteOf(place, await facts(), token),
    head: async (branch, etag) => readHead(client, repository, branch, etag),
    async ensureWebhook({ id, url, secret }) {
      const at = ownerAndName(await facts());
      const config = { url, secret, content_type: "json", insecure_ssl: "0" };
      const hooks = await hooksOf(at);
      const ours =
        hooks.find((hook) => String(hook.id) === id) ?? hooks.find((hook) => hook.config.url === url);
      const hook = { ...at, active: true, events: ["push"], config };
      const { data } = ours
        ? await askGitHub("Renewing the webhook", () =>
            client.rest.repos.updateWebhook({ ...hook, hook_id: ours.id }),
          )
        : await askGitHub("Making the webhook", () => client.rest.repos.createWebhook(hook));
      return { id: String(data.id) };
    },
    async removeWebhook({ id, url }) {
      const at = ownerAndName(await facts());
      const ours = (await hooksOf(at)).filter((hook) => String(hook.id) === id || hook.config.url === url);
      for (const hook of ours)
        try {
          await client.rest.repos.deleteWebhook({ ...at, hook_id: hook.id });
        } catch (error) {
          if (statusOf(error) !== 404) await askGitHub("Removing the webhook", () => Promise.reject(error));
        }
    },
    pullRequests: gitHubPulls(async () => ({ client, ...ownerAndName(await facts()) })),
  };
}

export interface GitHubAppIdentity {
  id: number;
  /** PEM. */
  privateKey: string;
}

export interface GitHubAppHost extends RepositoryHost {
  readonly installationId: number;
  /** Whether the repository has a tag of this name. */
  hasTag(name: string): Promise<boolean>;
}

/** Name and id of an App, by authenticating as it. Throws `RepoError`, and for a key in another form an Error. */
export async function describeApp(address: GitHubAddress, app: GitHubAppIdentity): Promise<string> {
  const client = await openAppClient(address, app);
  const { data } = await askGitHub("Authenticating as the App", async () => {
    const answer = await client.rest.apps.getAuthenticated();
    return { data: answer.data ?? {}, headers: answer.headers };
  });
  const slug = "slug" in data && typeof data.slug === "string" ? data.slug : "";
  return /^[\w-]{1,100}$/.test(slug) ? `${slug} (${app.id})` : String(app.id);
}

async function openAppClient(address: GitHubAddress, app: GitHubAppIdentity): Promise<GitHubClient> {
  const auth = createAppAuth({ appId: app.id, privateKey: app.privateKey });
  const { token } = await auth({ type: "app" });
  return openGitHubClient(address, token);
}

/** The id of the App's installation for a repository. Throws `remote_missing` if there is none. */
export async function findInstallation(
  place: GitHubConnection,
  app: GitHubAppIdentity,
  fullName: string,
): Promise<number> {
  const client = await openAppClient(place, app);
  const at = ownerAndName({ full_name: fullName });
  const { data } = await askGitHub("Looking for the App's installation", () =>
    client.rest.apps.getRepoInstallation(at),
  );
  return data.id;
}

/** A repository by an App. Its tokens are limited to this repository, valid for an hour, and created for each job. */
export function openGitHubAppHost(
  place: GitHubConnection,
  app: GitHubAppIdentity,
  installationId: number,
  repository: GitHubRepository,
): GitHubAppHost {
  const auth = createAppAuth({
    appId: app.id,
    privateKey: app.privateKey,
    installationId,
    request: openGitHubClient(place).request,
  });
  const askToken = (permissions: Record<string, "read" | "write">) =>
    auth({
      type: "installation",
      ...("id" in repository
        ? { repositoryIds: [Number(repository.id)] }
        : { repositoryNames: [ownerAndName({ full_name: repository.fullName }).repo] }),
      permissions,
    });
  const open = keepSuccess(async () => {
    const { data } = await askGitHub("Asking for access as the App", async () => ({
      data: await askToken({ contents: "write", metadata: "read" }),
      headers: {},
    }));
    const canPush = data.permissions["contents"] === "write";
    return { client: openGitHubClient(place, data.token), token: data.token, canPush };
  });
  // A token of its own: an installation that does not allow it still syncs.
  const openPulls = async () => {
    const what = "Asking for access to pull requests as the App";
    const { data } = await askGitHub(what, async () => {
      try {
        return {
          data: await askToken({ pull_requests: "write", contents: "read", metadata: "read" }),
          headers: {},
        };
      } catch (error) {
        throw statusOf(error) === 422 ? lacksPulls(what) : error;
      }
    });
    const client = openGitHubClient(place, data.token);
    return { client, ...ownerAndName(await readRepository(client, repository)) };
  };
  return {
    kind: "github-app",
    installationId,
    async describe() {
      const { client, canPush } = await open();
      return presentRepository(await readRepository(client, repository), canPush);
    },
    async remote() {
      const { client, token } = await open();
      return remoteOf(place, await readRepository(client, repository), token);
    },
    head: async (branch, etag) => readHead((await open()).client, repository, branch, etag),
    pullRequests: gitHubPulls(openPulls),
    hasTag: async (name) => (await readRef((await open()).client, repository, `tags/${name}`)) !== undefined,
  };
}

async function readRepository(client: GitHubClient, repository: GitHubRepository): Promise<RepositoryFacts> {
  const { data } = await askGitHub<RepositoryFacts>("Looking up the repository", () =>
    "id" in repository
      ? client.request("GET /repositories/{id}", { id: repository.id })
      : client.rest.repos.get(ownerAndName({ full_name: repository.fullName })),
  );
  const isWhole = Number.isSafeInteger(data.id) && typeof data.full_name === "string";
  if (!isWhole || !namePattern.test(data.full_name) || data.full_name.includes(".."))
    throw new RepoError("remote_protocol", "GitHub's answer names no repository.");
  if ("id" in repository && String(data.id) !== repository.id)
    throw new RepoError("remote_protocol", "GitHub answered with another repository.");
  return data;
}

function presentRepository(found: RepositoryFacts, canPush: boolean | undefined): HostedRepository {
  return {
    id: String(found.id),
    fullName: found.full_name,
    defaultBranch: typeof found.default_branch === "string" ? found.default_branch : undefined,
    sizeKb: typeof found.size === "number" ? found.size : undefined,
    canPush,
  };
}

function remoteOf(place: GitHubConnection, { full_name }: RepositoryFacts, token: string): Remote {
  return {
    kind: "http",
    url: `${place.webUrl}/${full_name}.git`,
    fullName: full_name,
    authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`,
    allowPrivateNetwork: place.allowPrivateNetwork,
    guard: place.guard,
  };
}

async function readHead(
  client: GitHubClient,
  repository: GitHubRepository,
  branch: string,
  etag: string | undefined,
): Promise<BranchHead | "unchanged" | undefined> {
  const head = await readRef(client, repository, `heads/${branch}`, etag);
  // GitHub has the same response for a missing branch and a missing repository.
  if (head === undefined) await readRepository(client, repository);
  return head;
}

async function readRef(
  client: GitHubClient,
  repository: GitHubRepository,
  ref: string,
  etag?: string,
): Promise<BranchHead | "unchanged" | undefined> {
  const id = "id" in repository ? repository.id : String((await readRepository(client, repository)).id);
  const options = { id, ref, headers: etag === undefined ? {} : { "if-none-match": etag } };
  let answer: { data: { object?: { sha?: unknown } }; headers: object };
  try {
    answer = await client.request("GET /repositories/{id}/git/ref/{ref}", options);
  } catch (error) {
    const status = statusOf(error);
    if (status === 304 && etag !== undefined) return "unchanged";
    // 409: a repository without any commit.
    if (status === 404 || status === 409) return undefined;
    await askGitHub("Reading the branch", () => Promise.reject(error));
    throw error;
  }
  const { data, headers } = await askGitHub("Reading the branch", () => Promise.resolve(answer));
  const sha = data.object?.sha;
  if (typeof sha !== "string" || !/^[0-9a-f]{40}$/.test(sha))
    throw new RepoError("remote_protocol", "GitHub's answer names no commit.");
  return { oid: sha, etag: typeof headers["etag"] === "string" ? headers["etag"] : undefined };
}

function ownerAndName({ full_name }: { full_name: string }): { owner: string; repo: string } {
  const at = full_name.indexOf("/");
  return { owner: full_name.slice(0, at), repo: full_name.slice(at + 1) };
}
