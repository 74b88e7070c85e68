/** A conversation with a remote in Git's smart HTTP protocol (gitprotocol-http), version 0. */
import { GitRemoteHTTP } from "isomorphic-git/managers";
import { RepoError } from "../errors.ts";
import { anySignal } from "../guard.ts";
import type { Remote } from "../mirror/types.ts";
import type { NativeGit } from "../native-git.ts";
import { sha256Repository } from "./directory-config.ts";
import { openDirectoryWire, directoryUrl } from "./directory.ts";
import { openHttpWire } from "./http.ts";
import { endsInFlush } from "./pkt-line.ts";
import { remoteUrl } from "./remote-url.ts";
import type { Limits, Wire, WireRequest } from "./wire.ts";

export type Service = "git-upload-pack" | "git-receive-pack";

/** Longer lists of refs are refused. */
const advertisementBytes = 64 * 1024 * 1024;

export interface Advertisement {
  /** Names to ids; `HEAD` and peeled tags among them. */
  refs: Map<string, string>;
  capabilities: Set<string>;
  /** Branch that `HEAD` names, if the host reports it. */
  defaultBranch: string | undefined;
}

export interface Session {
  discover(service: Service): Promise<Advertisement>;
  /** Sends one request and returns the response body, which must be read to the end. */
  exchange(
    service: Service,
    body: AsyncIterable<Uint8Array>,
    bytes: number,
  ): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

export type SessionOptions = Limits & { git: NativeGit };

/** Opens a session for one operation. The caller closes it in any case. */
export async function openSession(remote: Remote, options: SessionOptions): Promise<Session> {
  const guarded = { ...options, signal: anySignal(options.signal, remote.guard?.signal) };
  const wire =
    remote.kind === "http"
      ? openHttpWire(remote, guarded)
      : await openDirectoryWire(remote, options.git, guarded);
  // A trailing slash would double in `/info/refs`.
  const url = remote.kind === "http" ? remoteUrl(remote).href.replace(/\/+$/, "") : directoryUrl;

  return {
    async discover(service) {
      const found: unknown = await GitRemoteHTTP.discover({
        http: { request: (request: WireRequest) => wholeAdvertisement(wire, service, request) },
        service,
        url,
        headers: {},
        protocolVersion: 1,
      }).catch((error: unknown) => {
        throw asProtocolError(error);
      });
      return asAdvertisement(found);
    },
    async exchange(service, body, bytes) {
      const answer = await GitRemoteHTTP.connect({
        http: { request: (request: WireRequest) => wire.request(request) },
        service,
        url,
        auth: {},
        headers: { "content-length": String(bytes) },
        body,
      }).catch((error: unknown) => {
        throw asProtocolError(error);
      });
      assertGit(answer.headers?.["content-type"], `application/x-${service}-result`);
      if (answer.body === undefined) throw notGit();
      return answer.body;
    },
    close: async () => wire.close(),
  };
}

/**
 * The library takes a list of refs that was cut for a shorter list, and a page for a list of none. So it gets the list
 * only once it is whole.
 */
async function wholeAdvertisement(wire: Wire, service: Service, request: WireRequest) {
  const answer = await wire.request(request);
  assertGit(answer.headers["content-type"], `application/x-${service}-advertisement`);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > advertisementBytes)
      throw new RepoError("remote_too_large", "the repository has too many refs");
  }
  const whole = Buffer.concat(pieces);
  if (!endsInFlush(whole)) throw notGit();
  return {
    ...answer,
    body: (async function* () {
      yield new Uint8Array(whole);
    })(),
  };
}

function assertGit(type: string | undefined, expected: string): void {
  if (type?.split(";")[0]?.trim().toLowerCase() !== expected) throw notGit();
}

const notGit = () =>
  new RepoError(
    "remote_protocol",
    "the host answers with something else than Git: is this the address of a repository?",
  );

function asProtocolError(error: unknown): unknown {
  if (error instanceof RepoError) return error;
  // Its message may quote the answer.
  return new RepoError("remote_protocol", "the host's list of refs does not read as Git's");
}

const oidPattern = /^[0-9a-f]{40}$/;

function asAdvertisement(found: unknown): Advertisement {
  const refs = new Map<string, string>();
  const capabilities = new Set<string>();
  if (typeof found !== "object" || found === null) throw notGit();
  const said = found as { refs?: unknown; capabilities?: unknown };
  if (!(said.refs instanceof Map) || !(said.capabilities instanceof Set)) throw notGit();
  for (const item of said.capabilities as Set<unknown>)
    if (typeof item === "string") capabilities.add(item.trim());
  const format = [...capabilities].find((item) => item.startsWith("object-format="));
  if (format !== undefined && format !== "object-format=sha1") throw sha256Repository();
  for (const [name, oid] of said.refs as Map<unknown, unknown>) {
    if (typeof name !== "string" || typeof oid !== "string" || !oidPattern.test(oid)) throw notGit();
    refs.set(name, oid);
  }
  // Placeholder for an empty list of refs; git 2.41 changed its capabilities.
  refs.delete("capabilities^{}");
  const symbolic = [...capabilities].find((item) => item.startsWith("symref=HEAD:refs/heads/"));
  return { refs, capabilities, defaultBranch: symbolic?.slice("symref=HEAD:refs/heads/".length) };
}

/** The full name of a branch, checked by the rules of `git check-ref-format`. */
export function branchRef(branch: string): string {
  const fits =
    branch.length <= 244 &&
    branch !== "@" &&
    // oxlint-disable-next-line no-control-regex -- control characters are what this refuses
    !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[/.-]|\/\.|[/.]$|\.lock(\/|$)/.test(branch) &&
    branch !== "";
  if (!fits) throw new RepoError("invalid_remote", `${JSON.stringify(branch)} can't be a branch`);
  return `refs/heads/${branch}`;
}
