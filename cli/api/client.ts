/** The typed client of the REST API: one function per call, which returns a payload or throws a `CliError`. */
import type { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type {
  CreatedTokenPayload,
  CurrentTokenPayload,
  TokenPayload,
} from "../../contract/payloads/accounts/tokens.ts";
import type { SearchHit } from "../../contract/payloads/discovery/search.ts";
import type {
  CreatedFolderPayload,
  FolderPayload,
  MovedSkillPayload,
} from "../../contract/payloads/organizations/folders.ts";
import type { TenantPayload } from "../../contract/payloads/organizations/organizations.ts";
import type { ClientPayload } from "../../contract/payloads/service/client.ts";
import type { PublishPlan, VersionPlan } from "../../contract/payloads/skills/plans.ts";
import type { RegisteredPayload, SharedPayload } from "../../contract/payloads/skills/share.ts";
import type {
  CatalogItem,
  ChangedSkillPayload,
  ContentPayload,
  DiffPayload,
  ManifestPayload,
  PublishResult,
  MarkedVersionPayload,
  ResolveResult,
  RevertedSkillPayload,
  SkillPayload,
  VersionPayload,
  VersionResult,
} from "../../contract/payloads/skills/skills.ts";
import type { RenamedSkillPayload } from "../../contract/payloads/skills/slugs.ts";
import type { UploadPayload } from "../../contract/payloads/skills/uploads.ts";
import { CliError } from "../errors.ts";
import { type Query, openCaller, searchOf } from "./call.ts";
import { type HttpOptions, send } from "./http.ts";
import type {
  PlanInput,
  PlanPushInput,
  PublishInput,
  PushInput,
  ShareInput,
  SkillChange,
  TokenInput,
} from "./inputs.ts";
import { collectPages } from "./pages.ts";
import { shapes } from "./shapes.ts";

/** Path of the registration, which is also signed. */
export const registrationPath = "/api/auth/anonymous/register";

/** Time limit of a revocation: a logout must not wait for a service that does not respond. */
const revocationTimeoutMs = 10_000;

export type Client = ReturnType<typeof openClient>;

export function openClient(options: HttpOptions) {
  const { json, call, get, page, create, raw, plain, form } = openCaller(options);
  return {
    options,
    raw,
    plain,
    form,
    profile: () => get<IdentityPayload>("/api/user/profile", shapes.identity),
    currentToken: () => get<CurrentTokenPayload>("/api/user/tokens/current", shapes.currentToken),
    tenants: () => get<TenantPayload[]>("/api/tenants", shapes.tenants),
    skills: (query: Query) => page<SkillPayload>("/api/skills", shapes.skills, query),
    search: (query: Query) => page<SearchHit>("/api/search", shapes.search, query),
    explore: (query: Query) => page<CatalogItem>("/api/explore", shapes.catalog, query),
    /**
     * `ref`: slug, `org/slug`, public id or share URL; `version`: integer, exact, range, channel or `latest`;
     * `installed`: a version about which the service says whether it should be removed.
     */
    resolve: (ref: string, version?: string, installed?: { version: number; hash: string }) =>
      get<ResolveResult>("/api/skills/resolve", shapes.resolved, {
        ref,
        version,
        installed: installed?.version,
        hash: installed?.hash,
      }),
    /** The skill that a command changes or lists, although no version of it may be installable. */
    async find(ref: string) {
      try {
        return await get<ResolveResult>("/api/skills/resolve", shapes.resolved, { ref });
      } catch (error) {
        if (!(error instanceof CliError) || error.details?.kind !== "content") throw error;
        // A service of an earlier release answers as before.
        return get<ResolveResult>("/api/skills/resolve", shapes.resolved, { ref, withheld: true });
      }
    },
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
    /** Plan of a publish, which is not made. */
    planPublish: async (input: PlanInput) =>
      (
        await call<PublishPlan>({
          method: "POST",
          path: "/api/skills/plan",
          shape: shapes.publishPlan,
          input,
          isRepeatable: true,
        })
      ).data,
    planPush: async (skill: string, input: PlanPushInput) =>
      (
        await call<VersionPlan>({
          method: "POST",
          path: `${skillPath(skill)}/versions/plan`,
          shape: shapes.versionPlan,
          input,
          isRepeatable: true,
        })
      ).data,
    push: (skill: string, input: PushInput) =>
      create<VersionResult>(`${skillPath(skill)}/versions`, shapes.pushed, input),
    folders: async (team: string) => {
      const path = `/api/tenants/${encodeURIComponent(team)}/folders`;
      return (await collectPages((cursor) => page<FolderPayload>(path, shapes.folders, { cursor }))).items;
    },
    createFolder: (team: string, input: { path: string; parents: true }) =>
      create<CreatedFolderPayload>(
        `/api/tenants/${encodeURIComponent(team)}/folders`,
        shapes.createdFolder,
        input,
      ),
    /** `folder`: a path of names or slugs, `/` for the root. */
    move: (skill: string, input: { folder: string; createFolders?: true; dryRun?: true }) =>
      create<MovedSkillPayload>(`${skillPath(skill)}/move`, shapes.moved, input),
    update: async (skill: string, input: SkillChange & { dryRun?: true }) =>
      (
        await call<ChangedSkillPayload>({
          method: "PUT",
          path: skillPath(skill),
          shape: shapes.changed,
          input,
        })
      ).data,
    skill: (skill: string) => get<SkillPayload>(skillPath(skill), shapes.skill),
    /** `version`: a number, or an exact semver. */
    markVersion: async (
      skill: string,
      version: string,
      input: {
        deprecated?: string | null;
        yanked?: boolean;
        reason?: string;
        force?: true;
        dryRun?: true;
      },
    ) =>
      (
        await call<MarkedVersionPayload>({
          method: "PATCH",
          path: `${skillPath(skill)}/versions/${encodeURIComponent(version)}`,
          shape: shapes.version,
          input,
        })
      ).data,
    rename: (skill: string, slug: string, dryRun?: true) =>
      create<RenamedSkillPayload>(`${skillPath(skill)}/rename`, shapes.renamed, { slug, dryRun }),
    revert: (skill: string, version: string, dryRun?: true) =>
      create<RevertedSkillPayload>(`${skillPath(skill)}/revert`, shapes.reverted, { version, dryRun }),
    announceUpload: (size: number, sha256: string) =>
      create<UploadPayload>("/api/uploads", shapes.upload, { size, sha256 }),
    /** Anonymous sharing; all but the registration is signed (`signed.ts`). */
    registerKey: async (input: { publicKey: string; signature: string }, headers: Record<string, string>) =>
      (
        await call<RegisteredPayload>({
          method: "POST",
          path: registrationPath,
          shape: shapes.registered,
          input,
          headers,
        })
      ).data,
    share: (input: ShareInput) => create<SharedPayload>("/api/share", shapes.shared, input),
    async remove(skill: string): Promise<void> {
      await json({ method: "DELETE", url: skillPath(skill) });
    },
    tokens: (query: Query) => page<TokenPayload>("/api/user/tokens", shapes.tokens, query),
    createToken: (input: TokenInput) =>
      create<CreatedTokenPayload>("/api/user/tokens", shapes.createdToken, input),
    async revokeTokenById(id: string): Promise<void> {
      await json({ method: "DELETE", url: `/api/user/tokens/${encodeURIComponent(id)}` });
    },
    /** Revokes the token that this client sends. */
    async revokeToken(): Promise<void> {
      await json({ method: "DELETE", url: "/api/user/tokens/current", timeoutMs: revocationTimeoutMs });
    },
    /** The client that the service offers. */
    offeredClient: () => get<ClientPayload>("/api/client", shapes.offeredClient),
    exchangeOidc: (token: string, team: string) =>
      create<{ token: string; expiresAt: string }>("/api/auth/oidc/exchange", shapes.exchanged, {
        token,
        team,
      }),

    /** Reports the installed version of a location, or, without one, an uninstall. The response is ignored. */
    async reportInstall(
      skill: string,
      { version, range, ...location }: ReportedInstall,
      timeoutMs: number,
    ): Promise<void> {
      const path = `${skillPath(skill)}/installs`;
      const put = (fields: object) =>
        send(options, {
          timeoutMs,
          method: "PUT",
          url: path,
          body: JSON.stringify({ ...location, version, ...fields }),
          headers: { "content-type": "application/json" },
        });
      const response =
        version === undefined
          ? await send(options, { timeoutMs, method: "DELETE", url: path + searchOf(location) })
          : await put(range === undefined ? {} : { range });
      response.discard();
      // Services of earlier versions refuse the pin.
      if (range !== undefined && response.status === 400) (await put({})).discard();
    },

    packagePath: (skill: string) => `${skillPath(skill)}/package`,
  };
}

/** An install, or, without a version, an uninstall. */
interface ReportedInstall {
  platform: string;
  scope: string;
  machine: string;
  version?: number;
  range?: string;
}

function skillPath(skill: string): string {
  return `/api/skills/${encodeURIComponent(skill)}`;
}
