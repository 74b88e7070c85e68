/**
 * GitHub for tests, on loopback: the part of its REST interface that is used, with its rules about tokens and
 * signatures, in front of a real git host. Its faults are responses that GitHub sends.
 */
import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, verify } from "node:crypto";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { runGit, startGitHost, type GitHost, type HostedRepo } from "./git-host.ts";
import { answerPulls, type StubPull } from "./github-pulls-stub.ts";

export interface StubRepository {
  id: number;
  fullName: string;
  repo: HostedRepo;
  defaultBranch: string;
  /** The git host's password for this repository, used in place of tokens. */
  secret: string;
  /** The App's installation, if any. */
  installationId: number | undefined;
  hooks: { id: number; url: string; secret: string }[];
  pulls: StubPull[];
  /** Whether the App's installation allows pull requests. */
  allowsPulls: boolean;
  /** Previous names that redirect here. */
  formerNames: string[];
}

interface Token {
  repositories: Set<number>;
  contents: "read" | "write";
  webhooks: boolean;
  pulls: boolean;
}

export interface StubAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface GitHubStub {
  /** Base URL of REST interface and git. */
  url: string;
  app: { id: number; privateKey: string };
  /** The git host behind it: its faults are those of Git over HTTP. */
  git: GitHost;
  asked: { method: string; path: string; body: Record<string, unknown> }[];
  /** Every request, to the REST interface and to git. */
  requests: { path: string; at: number }[];
  /** Runs before the response to each later request; `closed` resolves if the client disconnects. */
  onRequest(handler: ((number: number, closed: Promise<void>) => Promise<void>) | undefined): void;
  newRepository(fullName: string, options?: { installed?: boolean }): Promise<StubRepository>;
  /** A fine-grained token. */
  newToken(
    repositories: StubRepository[],
    options?: { contents?: "read" | "write"; webhooks?: boolean; pulls?: boolean },
  ): string;
  /** Extends the permissions of a token. */
  allowWebhooks(token: string): void;
  revoke(token: string): void;
  remove(repository: StubRepository): void;
  rename(repository: StubRepository, fullName: string): void;
  tag(repository: StubRepository, name: string): void;
  /** Responses to the next REST calls, once each. */
  trouble(...answers: StubAnswer[]): void;
  close(): Promise<void>;
}

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
const appId = 4711;

export async function startGitHub(): Promise<GitHubStub> {
  const git: GitHost = await startGitHost();
  const repositories: StubRepository[] = [];
  const tokens = new Map<string, Token>();
  const asked: GitHubStub["asked"] = [];
  const requests: GitHubStub["requests"] = [];
  let before: Parameters<GitHubStub["onRequest"]>[0];
  let troubles: StubAnswer[] = [];
  let made = 0;

  const server = http.createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(request.url ?? "/", url);
    requests.push({ path: pathname, at: performance.now() });
    await before?.(requests.length, new Promise((resolve) => response.once("close", () => resolve())));
    if (response.destroyed) return;
    const atGit = /^\/([^/]+\/[^/]+)\.git(\/.*)$/.exec(pathname);
    if (atGit) return passOn(request, response, atGit[1]!, atGit[2]! + search);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    asked.push({ method: request.method!, path: pathname, body });
    const answer = troubles.shift() ?? answerTo(request, pathname, searchParams, body);
    response.writeHead(answer.status, {
      "content-type": "application/json; charset=utf-8",
      ...answer.headers,
    });
    response.end(answer.body);
  }

  function answerTo(
    request: IncomingMessage,
    path: string,
    query: URLSearchParams,
    body: Record<string, unknown>,
  ): StubAnswer {
    const authorization = request.headers.authorization ?? "";
    const [, bearer] = /^(?:bearer|token) (.+)$/i.exec(authorization) ?? [];
    if (bearer?.split(".").length === 3) return asApp(bearer, path, body);
    const token = tokens.get(bearer ?? "");
    if (!token) return failure(401, "Bad credentials");
    const [, name] = /^\/repos\/([^/]+\/[^/]+)/.exec(path) ?? [];
    const moved = name && repositories.find((one) => one.formerNames.includes(name) && !named(name));
    if (moved)
      return {
        status: 301,
        headers: { location: path.replace(`/repos/${name}`, `/repositories/${moved.id}`) },
      };
    const [, id] = /^\/repositories\/(\d+)/.exec(path) ?? [];
    const found = id === undefined ? named(name ?? "") : repositories.find((one) => one.id === Number(id));
    if (!found || !token.repositories.has(found.id)) return failure(404, "Not Found");
    const rest = path.replace(/^\/repositories\/\d+|^\/repos\/[^/]+\/[^/]+/, "");
    if (rest === "") return ok(presented(found));
    const [, ref] = /^\/git\/ref\/(.+)$/.exec(rest) ?? [];
    if (ref !== undefined) return refOf(found, decodeURIComponent(ref), request.headers["if-none-match"]);
    if (rest.startsWith("/hooks"))
      return token.webhooks ? hooksOf(found, request.method!, rest, body) : forbidden;
    if (/^\/pulls(\/|$)/.test(rest))
      return token.pulls ? answerPulls(found, request.method!, rest, query, body) : forbidden;
    return failure(404, "Not Found");
  }

  const named = (name: string) => repositories.find((one) => one.fullName === name);

  function asApp(jwt: string, path: string, body: Record<string, unknown>): StubAnswer {
    const [head, claims, signature] = jwt.split(".");
    const isSigned = verify(
      "RSA-SHA256",
      Buffer.from(`${head}.${claims}`),
      createPublicKey(publicKey.export({ type: "spki", format: "pem" })),
      Buffer.from(signature!, "base64url"),
    );
    const { iss, exp } = JSON.parse(Buffer.from(claims!, "base64url").toString()) as {
      iss: unknown;
      exp: number;
    };
    if (!isSigned || Number(iss) !== appId || exp * 1000 < Date.now())
      return failure(401, "A JSON web token could not be decoded");
    if (path === "/app") return ok({ id: appId, slug: "svc-test", name: "The App of a test" });
    const [, name] = /^\/repos\/([^/]+\/[^/]+)\/installation$/.exec(path) ?? [];
    if (name !== undefined) {
      const installed = named(name)?.installationId;
      return installed === undefined ? failure(404, "Not Found") : ok({ id: installed });
    }
    const [, installation] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? [];
    const wantedIds = body["repository_ids"] as number[] | undefined;
    const wantedNames = body["repositories"] as string[] | undefined;
    const chosen = repositories.filter(
      ({ id, fullName, installationId }) =>
        installationId === Number(installation) &&
        (wantedIds ? wantedIds.includes(id) : (wantedNames?.includes(fullName.split("/")[1]!) ?? true)),
    );
    if (chosen.length === 0) return failure(404, "Not Found");
    const permissions = body["permissions"] as { contents: "read" | "write"; pull_requests?: "write" };
    const pulls = permissions.pull_requests === "write";
    if (pulls && !chosen.every(({ allowsPulls }) => allowsPulls))
      return failure(422, "The permissions requested are not granted to this installation.");
    const token = newToken(chosen, { contents: permissions.contents, webhooks: false, pulls });
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    return ok({ token, expires_at: expires, permissions, repository_selection: "selected" }, 201);
  }

  function refOf(found: StubRepository, ref: string, held: string | undefined): StubAnswer {
    const { directory } = found.repo;
    if (runGit(directory, "for-each-ref") === "") return failure(409, "Git Repository is empty.");
    const sha = runGit(directory, "for-each-ref", "--format=%(objectname)", `refs/${ref}`);
    if (sha === "" || sha.includes("\n")) return failure(404, "Not Found");
    const etag = `W/"${sha}"`;
    if (held === etag) return { status: 304, headers: { etag } };
    return ok({ ref: `refs/${ref}`, object: { sha, type: "commit" } }, 200, { etag });
  }

  function hooksOf(
    found: StubRepository,
    method: string,
    rest: string,
    body: Record<string, unknown>,
  ): StubAnswer {
    const id = Number(rest.split("/")[2]);
    const present = ({ id: hookId, url: to }: StubRepository["hooks"][number]) => ({
      id: hookId,
      config: { url: to },
    });
    const config = body["config"] as { url: string; secret: string } | undefined;
    if (method === "GET") return ok(found.hooks.map(present));
    if (method === "POST") {
      const hook = { id: ++made, url: config!.url, secret: config!.secret };
      found.hooks.push(hook);
      return ok(present(hook), 201);
    }
    const hook = found.hooks.find((one) => one.id === id);
    if (!hook) return failure(404, "Not Found");
    if (method === "PATCH") return ok(present(Object.assign(hook, config)));
    found.hooks = found.hooks.filter((one) => one !== hook);
    return { status: 204 };
  }

  /** Git over HTTP: the repository's own password replaces the token, if the token has access. */
  function passOn(request: IncomingMessage, response: ServerResponse, name: string, rest: string): void {
    const found = named(name);
    const password = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /i, ""), "base64")
      .toString()
      .replace(/^x-access-token:/, "");
    const token = tokens.get(password);
    const isPush = rest.includes("git-receive-pack");
    const mayGo = found && token?.repositories.has(found.id) && (!isPush || token.contents === "write");
    if (!mayGo) {
      request.resume();
      response.writeHead(token ? (found ? 403 : 404) : 401).end();
      return;
    }
    const authorization = `Basic ${Buffer.from(`x-access-token:${found.secret}`).toString("base64")}`;
    const { host: _host, ...headers } = request.headers;
    const onward = http.request(
      `${found.repo.remote.url}${rest}`,
      { method: request.method, headers: { ...headers, authorization } },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        // Truncated where the host's own response is truncated.
        pipeline(answer, response, () => undefined);
      },
    );
    onward.once("error", () => response.destroy());
    request.pipe(onward);
  }

  function newToken(
    reached: readonly StubRepository[],
    {
      contents = "write",
      webhooks = true,
      pulls = true,
    }: { contents?: "read" | "write"; webhooks?: boolean; pulls?: boolean } = {},
  ): string {
    const token = `stub_${randomBytes(18).toString("hex")}`;
    tokens.set(token, { repositories: new Set(reached.map(({ id }) => id)), contents, webhooks, pulls });
    return token;
  }

  return {
    url,
    app: { id: appId, privateKey: pem },
    git,
    asked,
    requests,
    onRequest: (handler) => void (before = handler),
    async newRepository(fullName, { installed = false } = {}) {
      const secret = randomBytes(12).toString("hex");
      const repository: StubRepository = {
        id: 1000 + ++made,
        fullName,
        repo: await git.newRepository({ secret }),
        defaultBranch: "main",
        secret,
        installationId: installed ? 90_000 + made : undefined,
        hooks: [],
        pulls: [],
        allowsPulls: true,
        formerNames: [],
      };
      repositories.push(repository);
      return repository;
    },
    newToken,
    allowWebhooks: (token) => void Object.assign(tokens.get(token)!, { webhooks: true }),
    revoke: (token) => void tokens.delete(token),
    remove: (repository) => void repositories.splice(repositories.indexOf(repository), 1),
    rename(repository, fullName) {
      repository.formerNames.push(repository.fullName);
      repository.fullName = fullName;
    },
    tag: (repository, name) => void runGit(repository.repo.directory, "tag", name, repository.defaultBranch),
    trouble: (...answers) => void (troubles = [...troubles, ...answers]),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await git.close();
    },
  };
}

function presented({ id, fullName, defaultBranch }: StubRepository) {
  return { id, full_name: fullName, default_branch: defaultBranch, size: 12, permissions: { push: true } };
}

const ok = (data: unknown, status = 200, headers: Record<string, string> = {}): StubAnswer => ({
  status,
  headers,
  body: JSON.stringify(data),
});
const failure = (status: number, message: string): StubAnswer => ({
  status,
  body: JSON.stringify({ message }),
});
const forbidden = failure(403, "Resource not accessible by personal access token");

/** A delivery as GitHub sends it, signed over its exact bytes. */
export function delivery(
  secret: string,
  push: { repositoryId: number; ref: string; after?: string; installationId?: number },
  id: string = randomBytes(8).toString("hex"),
): { headers: Record<string, string>; bytes: Buffer } {
  const bytes = Buffer.from(
    JSON.stringify({
      ref: push.ref,
      after: push.after ?? "1".repeat(40),
      repository: { id: push.repositoryId },
      installation: push.installationId === undefined ? undefined : { id: push.installationId },
      // Signed as bytes, since serializing a parsed body again would give another text.
      note: "é \u2028",
    }),
  );
  const signature = `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-github-delivery": id,
    "x-hub-signature-256": signature,
  };
  return { headers, bytes };
}
