/** Repositories on any git server or on the service's own machine: their ids, and the checks before they are opened. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { HostKind } from "../../../contract/vocabulary.ts";
import type { Remote } from "../../../repos/mirror/types.ts";
import { mayBeUnencrypted } from "../../../repos/transport/connections.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";

/** Folder of views of directories. It never has the name of an organization's folder, which is an id. */
const viewsFolder = ".svc-views";
export const notOffered = { reason: "host_not_offered" };

/** Canonical form of a repository: no two connections have the same key and branch. */
export function repositoryKeyOf(app: App, kind: HostKind, repositoryId: string, tenantId: string): string {
  if (kind !== "local") return `github:${app.config.github.apiUrl}:${repositoryId}`;
  if (!isAddress(repositoryId)) return `directory:${tenantId}/${repositoryId}`;
  return `address:${repositoryId.replace(/(\.git)?\/*$/, "")}`;
}

/** Id of a repository without a host's own id: its normalized address, or the name of its directory. */
export function localRepositoryId(url: string): string {
  return isAddress(url) ? new URL(url).href.replace(/\/+$/, "") : url;
}

export const isAddress = (url: string) => url.includes("://");

/**
 * Remote of an address. Private addresses are refused when a connection is made (`repos/transport/address.ts`). Throws
 * `refused` if the address is not usable.
 */
export function addressRemote(
  app: App,
  address: string,
  username: string | undefined,
  password: string | undefined,
): Remote {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const allowPrivateNetwork = app.config.syncPrivateNetwork;
  const isUsable =
    url?.protocol === "https:" ||
    (url?.protocol === "http:" && (allowPrivateNetwork || mayBeUnencrypted(url)));
  if (!url || !isUsable)
    throw refused("The address of a repository must begin with https://.", { reason: "remote_forbidden" });
  if (url.username !== "" || url.password !== "")
    throw refused("Send the username and password in their own fields, not in the address.");
  if (url.search !== "" || url.hash !== "") throw refused("The address must not have a query or a fragment.");
  if (url.hostname === new URL(app.config.github.url).hostname)
    throw refused("This repository is on GitHub: connect it by the App, or by a fine-grained token.");
  const basic = Buffer.from(`${username ?? "git"}:${password ?? ""}`).toString("base64");
  return {
    kind: "http",
    url: localRepositoryId(address),
    authorization: password === undefined ? undefined : `Basic ${basic}`,
    allowPrivateNetwork,
  };
}

/**
 * Remote of a bare repository in the organization's folder below the configured one. Links out of that folder are not
 * followed.
 */
export async function directoryRemote(app: App, tenantId: string, name: string): Promise<Remote> {
  const root = app.config.localRepositories;
  if (root === undefined)
    throw refused(
      "This service does not connect repositories on its own machine: send an https address.",
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
