/** The typed client of the REST API: one function per call, which returns a payload or throws a `CliError`. */
import type { IdentityPayload } from "../../contract/payloads/accounts.ts";
import type { TenantPayload } from "../../contract/payloads/organizations.ts";
import type {
  CatalogItem,
  ChangedSkillPayload,
  ContentPayload,
  DiffPayload,
  ManifestPayload,
  PublishResult,
  ResolveResult,
  SkillPayload,
  VersionPayload,
  VersionResult,
} from "../../contract/payloads/skills.ts";
import type { UploadPayload } from "../../contract/payloads/uploads.ts";
import type {
  CreatedFolderPayload,
  FolderPayload,
  MovedSkillPayload,
} from "../../contract/payloads/folders.ts";
import type { RegisteredPayload, SharedPayload } from "../../contract/payloads/share.ts";
import type { PublishMode, Visibility } from "../../contract/vocabulary.ts";
import { CliError } from "../errors.ts";
import { failureOf } from "./failure.ts";
import type { Answer } from "./transport.ts";
import { type HttpOptions, type HttpRequest, networkError, send } from "./http.ts";
import { type Shape, fits, shapes } from "./shapes.ts";

/** The content of a version: a text, or a staged zip. */
export type ContentInput = { content: string } | { uploadId: string };

export type PublishInput = ContentInput & {
  mode: PublishMode;
  tenantId?: string;
  name: string;
  type?: string;
  visibility?: string;
  message?: string;
  folder?: string;
  createFolders?: boolean;
  personal?: boolean;
  ifChanged?: true;
};

export type ShareInput = ContentInput & { name: string; type?: string };

/** Path of the registration, which is also signed. */
export const registrationPath = "/api/auth/anonymous/register";

export type PushInput = ContentInput & {
  message?: string;
  semver?: string;
  bump?: string;
  prerelease?: true | string;
  ifChanged?: true;
};

/** Time limit of a revocation: a logout must not wait for a service that does not respond. */
const revocationTimeoutMs = 10_000;

type Query = Record<string, string | number | boolean | undefined>;

export interface Page<T> {
  items: T[];
  nextCursor: string | undefined;
}

export type Client = ReturnType<typeof openClient>;

export function openClient(options: HttpOptions) {
  /** The body of a JSON response. Throws for errors and for responses that are not JSON. */
  async function json(request: HttpRequest): Promise<unknown> {
    const { waiting, baseUrl } = options;
    if (waiting === undefined) return readJson(request);
    return waiting(`Waiting for ${new URL(baseUrl).host}`, () => readJson(request));
  }

  async function readJson(request: HttpRequest): Promise<unknown> {
    const response = await send(options, request);
    let text: string;
    try {
      text = await response.text();
    } catch (error) {
      throw networkError(error, request.url, options.baseUrl);
    }
    const body = parseBody(text);
    if (!response.ok) throw refusal(response, body);
    if (body === undefined) throw notOurs(options.baseUrl, response);
    return body;
  }

  function refusal(response: Answer, body: unknown): CliError {
    const isAnonymous = options.token === undefined && options.sign === undefined;
    return failureOf(response.status, body, response.header("retry-after"), { isAnonymous });
  }

  async function call<T>(
    method: HttpRequest["method"],
    path: string,
    shape: Shape | undefined,
    query: Query = {},
    input?: unknown,
    headers?: Record<string, string>,
  ) {
    const body = (await json({
      method,
      url: path + searchOf(query),
      ...(input === undefined
        ? {}
        : {
            body: JSON.stringify(input),
            headers: { "content-type": "application/json", ...onceOnly(method), ...headers },
          }),
    })) as { success?: unknown; data?: T; nextCursor?: string | null };
    if (body.success !== true || body.data === undefined) throw notOurs(options.baseUrl);
    if (shape !== undefined && !fits(body.data, shape)) throw notOurs(options.baseUrl);
    return { data: body.data, nextCursor: typeof body.nextCursor === "string" ? body.nextCursor : undefined };
  }

  const get = async <T>(path: string, shape: Shape | undefined, query: Query = {}) =>
    (await call<T>("GET", path, shape, query)).data;
  const page = async <T>(path: string, shape: Shape, query: Query): Promise<Page<T>> => {
    const { data, nextCursor } = await call<T[]>("GET", path, shape, query);
    return { items: data, nextCursor };
  };
  const create = async <T>(path: string, shape: Shape, input: unknown) =>
    (await call<T>("POST", path, shape, {}, input)).data;
  return {
    options,
    profile: () => get<IdentityPayload>("/api/user/profile", shapes.identity),
    tenants: () => get<TenantPayload[]>("/api/tenants", shapes.tenants),
    skills: (query: Query) => page<SkillPayload>("/api/skills", shapes.skills, query),
    explore: (query: Query) => page<CatalogItem>("/api/explore", shapes.catalog, query),
    /** `ref`: slug, `org/slug`, public id or share URL; `version`: integer, exact, range or `latest`. */
    resolve: (ref: string, version?: string) =>
      get<ResolveResult>("/api/skills/resolve", shapes.resolved, { ref, version }),
    versions: (skill: string, query: Query) =>
      page<VersionPayload>(`${skillPath(skill)}/versions`, shapes.versions, query),
    content: (skill: string, version: number) =>
      get<ContentPayload>(`${skillPath(skill)}/content`, shapes.content, { version }),
    manifest: (skill: string, version: number) =>
      get<ManifestPayload>(`${skillPath(skill)}/manifest`, shapes.manifest, { version }),
    /** Not validated: the caller checks its form. */
    diff: (skill: string, from: number, to: number) =>
      get<DiffPayload>(`${skillPath(skill)}/diff`, undefined, { from, to }),
    publish: (input: PublishInput) => create<PublishResult>("/api/skills", shapes.published, input),
    push: (skill: string, input: PushInput) =>
      create<VersionResult>(`${skillPath(skill)}/versions`, shapes.pushed, input),
    folders: (team: string) =>
      get<FolderPayload[]>(`/api/tenants/${encodeURIComponent(team)}/folders`, shapes.folders),
    createFolder: (team: string, input: { path: string; parents: true }) =>
      create<CreatedFolderPayload>(
        `/api/tenants/${encodeURIComponent(team)}/folders`,
        shapes.createdFolder,
        input,
      ),
    /** `folder`: a path of names or slugs, `/` for the root. */
    move: (skill: string, input: { folder: string; createFolders?: true; dryRun?: true }) =>
      create<MovedSkillPayload>(`${skillPath(skill)}/move`, shapes.moved, input),
    update: async (skill: string, input: { visibility: Visibility; dryRun?: true }) =>
      (await call<ChangedSkillPayload>("PUT", skillPath(skill), shapes.changed, {}, input)).data,
    announceUpload: (size: number, sha256: string) =>
      create<UploadPayload>("/api/uploads", shapes.upload, { size, sha256 }),
    /** Anonymous sharing; all but the registration is signed (`signed.ts`). */
    registerKey: async (input: { publicKey: string; signature: string }, headers: Record<string, string>) =>
      (await call<RegisteredPayload>("POST", registrationPath, shapes.registered, {}, input, headers)).data,
    share: (input: ShareInput) => create<SharedPayload>("/api/share", shapes.shared, input),
    async remove(skill: string): Promise<void> {
      await json({ method: "DELETE", url: skillPath(skill) });
    },
    /** Revokes the token that this client sends. */
    async revokeToken(): Promise<void> {
      await json({ method: "DELETE", url: "/api/user/tokens/current", timeoutMs: revocationTimeoutMs });
    },
    exchangeOidc: (token: string, team: string) =>
      create<{ token: string; expiresAt: string }>("/api/auth/oidc/exchange", shapes.exchanged, {
        token,
        team,
      }),

    /** A raw response body; throws for errors. The caller counts and checks the bytes. */
    async raw(path: string, query: Query, accept: string): Promise<Answer> {
      const response = await send(options, {
        method: "GET",
        url: path + searchOf(query),
        headers: { accept },
      });
      if (response.ok) return response;
      throw refusal(response, parseBody(await response.text().catch(() => "")));
    },

    /** Reports the installed version of a location, or, without one, an uninstall. The response is ignored. */
    async reportInstall(
      skill: string,
      { version, ...location }: { platform: string; scope: string; machine: string; version?: number },
      timeoutMs: number,
    ): Promise<void> {
      const path = `${skillPath(skill)}/installs`;
      const response = await send(options, {
        timeoutMs,
        ...(version === undefined
          ? { method: "DELETE", url: path + searchOf(location) }
          : {
              method: "PUT",
              url: path,
              body: JSON.stringify({ ...location, version }),
              headers: { "content-type": "application/json" },
            }),
      });
      response.discard();
    },

    packagePath: (skill: string) => `${skillPath(skill)}/package`,

    /**
     * A form post whose response has no envelope (RFC 8628). Returns the status and the body, which is undefined
     * if it is not JSON.
     */
    async form(path: string, fields: Record<string, string>) {
      const response = await send(options, {
        method: "POST",
        url: path,
        body: new URLSearchParams(fields).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      const text = await response.text().catch((error: unknown) => {
        throw networkError(error, path, options.baseUrl);
      });
      return { status: response.status, body: parseBody(text), retryAfter: response.header("retry-after") };
    },
  };
}

function skillPath(skill: string): string {
  return `/api/skills/${encodeURIComponent(skill)}`;
}

/** Makes a creating call safe to repeat after a lost response. */
function onceOnly(method: string): Record<string, string> {
  return method === "POST" ? { "idempotency-key": crypto.randomUUID() } : {};
}

function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? "" : `?${search.toString()}`;
}

/** The body as an object or list, or undefined. */
export function parseBody(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function notOurs(baseUrl: string, response?: Answer): CliError {
  const type = response?.header("content-type")?.split(";")[0];
  return new CliError(
    "E_NETWORK",
    `${baseUrl} does not respond like a skill registry${type === undefined ? "" : ` (it sent ${type})`}: check SVC_API_URL.`,
    response === undefined ? undefined : { httpStatus: response.status },
  );
}

/** All items of a paged list, up to `atMost`. */
export async function collectPages<T>(
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  atMost = Infinity,
): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const { items: next, nextCursor } = await fetchPage(cursor);
    items.push(...next);
    // A cursor that repeats would loop forever.
    if (nextCursor !== undefined && nextCursor === cursor) break;
    cursor = nextCursor;
  } while (cursor !== undefined && items.length < atMost);
  return { items: items.slice(0, atMost), more: cursor !== undefined || items.length > atMost };
}
