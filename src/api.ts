/** Every way in: the features' routes, named in one file, and the HTTP application made of them. */
import type Koa from "koa";
import { PackageError } from "../contract/package-rules.ts";
import { RepoError } from "../repos/errors.ts";
import { isUnavailable } from "../storage/database.ts";
import type { App } from "./app.ts";
import { authenticate } from "./auth/authenticate.ts";
import { pageRoutes } from "./auth/page-routes.ts";
import { authRoutes } from "./auth/routes.ts";
import { ServiceError } from "./errors.ts";
import { folderRoutes } from "./folders/routes.ts";
import { clientRoutes } from "./http/client.ts";
import { healthRoutes, type Health } from "./http/health.ts";
import type { IdempotencyStore } from "./http/idempotency.ts";
import type { Metrics } from "./http/metrics.ts";
import { describeRoutes, docsRoutes } from "./http/openapi.ts";
import type { Route } from "./http/route.ts";
import { createHttp } from "./http/server.ts";
import { workersPageRoutes } from "./jobs/page-routes.ts";
import { jobRoutes } from "./jobs/routes.ts";
import { limits } from "../contract/limits.ts";
import { auditRoutes } from "./orgs/audit-routes.ts";
import { invitationPageRoutes } from "./orgs/page-routes.ts";
import { tenantRoutes } from "./orgs/routes.ts";
import { QueueUnavailableError } from "./queue/index.ts";
import { cloneRoutes } from "./skills/clone-routes.ts";
import { skillPageRoutes } from "./skills/page-routes.ts";
import { skillRoutes } from "./skills/routes.ts";
import { syncRoutes } from "./sync/routes.ts";
import { tokenRoutes } from "./tokens/routes.ts";
import { userRoutes } from "./users/routes.ts";
import { workspaceRoutes } from "./workspaces/routes.ts";

/** Every route below `/api`, as the API description tells them. */
export function apiRoutes(app: App, version: string, health?: Health): Route[] {
  return [
    ...clientRoutes(version),
    ...authRoutes(app),
    ...userRoutes(app),
    ...tokenRoutes(app),
    ...tenantRoutes(app),
    ...auditRoutes(app),
    ...folderRoutes(app),
    ...workspaceRoutes(app),
    ...skillRoutes(app),
    ...syncRoutes(app),
    ...jobRoutes(app, version, health),
  ];
}

/** The HTTP application over an opened one. */
export function createApi(
  app: App,
  options: { health: Health; version: string; metrics?: Metrics | undefined },
): Koa {
  const routes = apiRoutes(app, options.version, options.health);
  let description: object | undefined;
  const describe = () => (description ??= describeRoutes(routes, options.version, app.config.baseUrl));
  return createHttp({
    routes: [
      ...routes,
      ...pageRoutes(app),
      ...invitationPageRoutes(app),
      ...skillPageRoutes(app),
      ...workersPageRoutes(),
      ...cloneRoutes(app),
      ...docsRoutes(describe),
      ...healthRoutes(options.health),
    ],
    baseUrl: () => app.config.baseUrl,
    trustProxy: app.config.trustProxy,
    log: app.log,
    rateLimits: app.rateLimits,
    idempotency: idempotencyStore(app),
    translators: [translateStorage, translateQueue, (error) => translateRepos(app, error)],
    anonymize: (address) => app.secrets.anonymize(address),
    authenticate: (credentials) => authenticate(app, credentials),
    ...(options.metrics ? { observe: options.metrics.observe } : {}),
  });
}

function translateStorage(error: unknown): ServiceError | undefined {
  if (!isUnavailable(error)) return undefined;
  return new ServiceError(
    "unavailable",
    "The database does not answer right now: try again in a moment.",
    undefined,
    { cause: error },
  );
}

function translateQueue(error: unknown): ServiceError | undefined {
  if (!(error instanceof QueueUnavailableError)) return undefined;
  return new ServiceError(
    "unavailable",
    "The job queue does not answer right now: try again in a moment.",
    undefined,
    { cause: error },
  );
}

function translateRepos(app: App, error: unknown): ServiceError | undefined {
  if (error instanceof RepoError && error.code === "repository_missing") {
    // A skill that is being erased beside this call. Should its document still be there, the log says so.
    app.log.error({ error }, "a repository is missing");
    return new ServiceError(
      "not_found",
      "This skill was deleted meanwhile.",
      { kind: "skill" },
      { cause: error },
    );
  }
  if (error instanceof PackageError) {
    const place = error.path === undefined ? {} : { path: error.path };
    return new ServiceError(
      "package_invalid",
      error.message,
      { kind: "content", rule: error.rule, ...place },
      { cause: error },
    );
  }
  if (error instanceof RepoError && error.code === "git_missing") {
    return new ServiceError(
      "git_missing",
      "This service serves no clones: its machine has no git program. Install the skill with svc, or download its package.",
      undefined,
      { cause: error },
    );
  }
  if (error instanceof RepoError && error.retryable) {
    return new ServiceError(
      "unavailable",
      "The repository can't be written or read right now: try again in a moment.",
      undefined,
      { cause: error },
    );
  }
  return undefined;
}

/** How long a first call may run. A process that ends in the middle of one must not block its key for a day. */
const runningMs = 10 * 60_000;

/** First answers are kept sealed: they may hold what only their caller may read. */
function idempotencyStore(app: App): IdempotencyStore {
  const { idempotency } = app.storage;
  const inMs = (ms: number) => new Date(app.now().getTime() + ms);
  return {
    async claim(id, bodyHash) {
      const holder = await idempotency.claim({ _id: id, bodyHash, expiresAt: inMs(runningMs) }, app.now());
      if (holder === "claimed") return "claimed";
      const { sealed, status } = holder;
      if (sealed === undefined || status === undefined)
        return { bodyHash: holder.bodyHash, answer: undefined };
      return {
        bodyHash: holder.bodyHash,
        answer: { status, body: JSON.parse(app.secrets.open(sealed, id)) as unknown },
      };
    },
    complete: (id, answer) =>
      idempotency.complete(
        id,
        answer.status,
        app.secrets.seal(JSON.stringify(answer.body ?? null), id),
        inMs(limits.idempotencyMs),
      ),
    release: (id) => idempotency.release(id),
  };
}
