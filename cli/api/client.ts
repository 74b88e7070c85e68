/** The typed client of the REST interface: one function per call, payloads out, `CliError` for everything else. */
import type {
  CatalogItem,
  ContentPayload,
  DiffPayload,
  IdentityPayload,
  ManifestPayload,
  PublishResult,
  ResolveResult,
  SkillPayload,
  TenantPayload,
  UploadPayload,
  VersionPayload,
  VersionResult,
} from "../../contract/payloads.ts";
import type {
  CreatedFolderPayload,
  FolderPayload,
  MovedSkillPayload,
} from "../../contract/payloads-folders.ts";
import type { RegisteredPayload, SharedPayload } from "../../contract/payloads-share.ts";
import type { PublishMode } from "../../contract/vocabulary.ts";
import { CliError } from "../errors.ts";
import { failureOf } from "./failure.ts";
import type { Answer } from "./transport.ts";
import { type HttpOptions, type HttpRequest, networkError, send } from "./http.ts";
import { type Shape, fits, shapes } from "./shapes.ts";

/** What a version is made of: text as it is, or a zip that was staged before. */
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
};

export type ShareInput = ContentInput & { name: string; type?: string };

/** Where a key is registered, also as it is signed. */
export const registrationPath = "/api/auth/anonymous/register";

export type PushInput = ContentInput & {
  message?: string;
  semver?: string;
  bump?: string;
  prerelease?: true | string;
};

type Query = Record<string, string | number | boolean | undefined>;

export interface Page<T> {
  items: T[];
  nextCursor: string | undefined;
}

export type Client = ReturnType<typeof openClient>;

export function openClient(options: HttpOptions) {
  /** The body of a JSON answer; throws for refusals and for answers that are not JSON. */
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
    /** Of any form: whoever shows it looks at that. */
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
    move: (skill: string, input: { folder: string; createFolders?: true }) =>
      create<MovedSkillPayload>(`${skillPath(skill)}/move`, shapes.moved, input),
    announceUpload: (size: number, sha256: string) =>
      create<UploadPayload>("/api/uploads", shapes.upload, { size, sha256 }),
    /** Anonymous sharing; all but the registration is signed (`signed.ts`). */
    registerKey: async (input: { publicKey: string; signature: string }, headers: Record<string, string>) =>
      (await call<RegisteredPayload>("POST", registrationPath, shapes.registered, {}, input, headers)).data,
    share: (input: ShareInput) => create<SharedPayload>("/api/share", shapes.shared, input),
    async remove(skill: string): Promise<void> {
      await json({ method: "DELETE", url: skillPath(skill) });
    },
    exchangeOidc: (token: string, team: string) =>
      create<{ token: string; expiresAt: string }>("/api/auth/oidc/exchange", shapes.exchanged, {
        token,
        team,
      }),

    /** A raw answer body; throws for refusals. Whoever reads it counts and checks the bytes. */
    async raw(path: string, query: Query, accept: string): Promise<Answer> {
      const response = await send(options, {
        method: "GET",
        url: path + searchOf(query),
        headers: { accept },
      });
      if (response.ok) return response;
      throw refusal(response, parseBody(await response.text().catch(() => "")));
    },

    /** Says that a version is installed in a place, or, without one, that nothing is. The answer does not matter. */
    async reportInstall(
      skill: string,
      { version, ...place }: { platform: string; scope: string; machine: string; version?: number },
      timeoutMs: number,
    ): Promise<void> {
      const path = `${skillPath(skill)}/installs`;
      const response = await send(options, {
        timeoutMs,
        ...(version === undefined
          ? { method: "DELETE", url: path + searchOf(place) }
          : {
              method: "PUT",
              url: path,
              body: JSON.stringify({ ...place, version }),
              headers: { "content-type": "application/json" },
            }),
      });
      response.discard();
    },

    packagePath: (skill: string) => `${skillPath(skill)}/package`,

    /**
     * A form post whose answer has no envelope (RFC 8628). Answers the status and the body, which is undefined
     * when it is not JSON.
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

/** A dropped answer to a creating call can be asked for again without creating twice. */
function onceOnly(method: string): Record<string, string> {
  return method === "POST" ? { "idempotency-key": crypto.randomUUID() } : {};
}

function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? "" : `?${search.toString()}`;
}

/** The object or list that a body is, undefined when it is none. */
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
    `${baseUrl} does not answer like a skill registry${type === undefined ? "" : ` (it sent ${type})`}: check SVC_API_URL.`,
    response === undefined ? undefined : { httpStatus: response.status },
  );
}

/** Every item of a paged list, up to `atMost`. */
export async function collectPages<T>(
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  atMost = Infinity,
): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const { items: next, nextCursor } = await fetchPage(cursor);
    items.push(...next);
    // A cursor that does not move would be asked for ever.
    if (nextCursor !== undefined && nextCursor === cursor) break;
    cursor = nextCursor;
  } while (cursor !== undefined && items.length < atMost);
  return { items: items.slice(0, atMost), more: cursor !== undefined || items.length > atMost };
}
