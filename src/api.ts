/** Every way in: the features' routes, named in one file, and the HTTP application made of them. */
import type Koa from "koa";
import { PackageError } from "../contract/checks/package-rules.ts";
import { RepoError } from "../repos/errors.ts";
import { isUnavailable } from "../storage/database.ts";
import { aboutRoutes } from "./accounts/about-routes.ts";
import { accountAdministrationRoutes } from "./accounts/administration/administration-routes.ts";
import { allowsAnonymousMcp } from "./accounts/administration/anonymous-mcp.ts";
import { accountPageRoutes } from "./accounts/page-routes.ts";
import { accountRoutes } from "./accounts/routes.ts";
import type { App } from "./app.ts";
import { attentionRoutes } from "./attention/routes.ts";
import { authenticate } from "./auth/authenticate.ts";
import { signInPageRoutes } from "./auth/pages/page-routes.ts";
import { authRoutes } from "./auth/routes.ts";
import { ciRoutes } from "./ci/routes.ts";
import { openForwarder } from "./connectors/forwarder.ts";
import { connectorPageRoutes } from "./connectors/page-routes.ts";
import { connectorRoutes } from "./connectors/routes.ts";
import { crawlerRoutes } from "./dashboard/crawler-routes.ts";
import { pageDescriber } from "./dashboard/describe-page.ts";
import { llmsRoutes } from "./dashboard/llms-routes.ts";
import { badgeRoutes } from "./dashboard/pictures/badge-routes.ts";
import { cardRoutes } from "./dashboard/pictures/card-routes.ts";
import { sitemapRoutes } from "./dashboard/sitemap-routes.ts";
import { ServiceError } from "./errors.ts";
import { eventRoutes } from "./events/routes.ts";
import { folderTools } from "./folders/mcp/tools.ts";
import { reviewRuleRoutes } from "./folders/review/routes.ts";
import { folderRoutes } from "./folders/routes.ts";
import { clientPackageRoutes, clientRoutes } from "./http/client/routes.ts";
import { openDashboard } from "./http/dashboard/routes.ts";
import type { ErrorTranslator } from "./http/errors.ts";
import { describeRoutes } from "./http/openapi/describe.ts";
import { docsRoutes } from "./http/openapi/docs-routes.ts";
import { assetRoutes } from "./http/pages/asset-routes.ts";
import { idempotencyStore } from "./http/request/idempotency-store.ts";
import { withPages } from "./http/request/whole-lists.ts";
import type { Route } from "./http/route.ts";
import { healthRoutes, type Health } from "./http/service/health.ts";
import { createHttp } from "./http/service/server.ts";
import { workersPageRoutes } from "./jobs/page-routes.ts";
import { jobRoutes } from "./jobs/routes.ts";
import { publicRegistryRoutes } from "./mcp-servers/public-registry/routes.ts";
import { mcpServerRoutes } from "./mcp-servers/routes.ts";
import type { CallServices } from "./mcp/call.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import type { Surface } from "./mcp/tools/surface.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { mfaPageRoutes } from "./mfa/page-routes.ts";
import { mfaRoutes } from "./mfa/routes.ts";
import { nameRoutes } from "./names/routes.ts";
import { consentPageRoutes } from "./oauth/page-routes.ts";
import { grantRoutes, oauthRoutes } from "./oauth/routes.ts";
import { organizationAdministrationRoutes } from "./orgs/administration.ts";
import { auditForwardingRoutes } from "./orgs/audit-forwarding/routes.ts";
import { auditRoutes } from "./orgs/audit-routes.ts";
import { invitationPageRoutes } from "./orgs/page-routes.ts";
import { tenantRoutes } from "./orgs/routes.ts";
import { webhookRoutes } from "./orgs/webhooks/routes.ts";
import { QueueUnavailableError } from "./queue/index.ts";
import { clawhubRoutes } from "./reach/clawhub/routes.ts";
import { indexRoutes } from "./reach/indexes/routes.ts";
import { indexSettingsRoutes } from "./reach/indexes/settings-routes.ts";
import { marketplaceCatalogRoutes } from "./reach/marketplaces/catalog-routes.ts";
import { marketplaceGitRoutes } from "./reach/marketplaces/git-routes.ts";
import { marketplaceRoutes } from "./reach/marketplaces/routes.ts";
import { scimEndpointRoutes } from "./scim/endpoint-routes.ts";
import { scimRoutes } from "./scim/routes.ts";
import { followingPageRoutes } from "./skills/following/page-routes.ts";
import { skillPrompts } from "./skills/mcp/prompts.ts";
import { skillResources } from "./skills/mcp/resources.ts";
import { skillTools } from "./skills/mcp/tools.ts";
import { reportPageRoutes } from "./skills/moderation/page-routes.ts";
import { moderationRoutes } from "./skills/moderation/routes.ts";
import { skillPageRoutes } from "./skills/pages/page-routes.ts";
import { keyDocumentRoutes } from "./skills/provenance/routes.ts";
import { cloneRoutes } from "./skills/read/clone-routes.ts";
import { skillRoutes } from "./skills/routes.ts";
import { ssoDomainRoutes } from "./sso/domains/routes.ts";
import { ssoProviderRoutes } from "./sso/providers/routes.ts";
import { ssoPageRoutes } from "./sso/sign-in/page-routes.ts";
import { syncRoutes } from "./sync/routes.ts";
import { tokenRoutes } from "./tokens/routes.ts";
import { userRoutes } from "./users/routes.ts";
import { userTools } from "./users/tools.ts";
import { workspaceRoutes } from "./workspaces/routes.ts";

/** Every route below `/api`, as in the API description. */
export function apiRoutes(app: App, version: string, health?: Health): Route[] {
  return withPages([
    ...clientRoutes(health?.release ?? { version }),
    ...aboutRoutes(app, version),
    ...authRoutes(app),
    ...mfaRoutes(app),
    ...accountRoutes(app),
    ...userRoutes(app),
    ...tokenRoutes(app),
    ...grantRoutes(app),
    ...tenantRoutes(app),
    ...auditRoutes(app),
    ...auditForwardingRoutes(app),
    ...webhookRoutes(app),
    ...folderRoutes(app),
    ...reviewRuleRoutes(app),
    ...workspaceRoutes(app),
    ...mcpServerRoutes(app),
    ...connectorRoutes(app),
    ...skillRoutes(app),
    ...indexSettingsRoutes(app),
    ...marketplaceRoutes(app),
    ...moderationRoutes(app),
    ...ciRoutes(app),
    ...scimRoutes(app),
    ...ssoProviderRoutes(app),
    ...syncRoutes(app),
    ...ssoDomainRoutes(app),
    ...nameRoutes(app),
    ...attentionRoutes(app),
    ...eventRoutes(app, health),
    ...accountAdministrationRoutes(app),
    ...organizationAdministrationRoutes(app),
    ...jobRoutes(app, version, health),
  ]);
}

/** Everything that the MCP server offers to agents. */
function agentSurface(app: App): Surface {
  return {
    tools: [...skillTools(app), ...folderTools(app), ...userTools(app)],
    prompts: skillPrompts(app),
    skills: skillResources(app),
  };
}

/** Every route that the service declares: the API, its pages, clones and probes. */
export function serviceRoutes(app: App, health: Health): Route[] {
  const { version } = health.release;
  const routes = apiRoutes(app, version, health);
  let description: object | undefined;
  const describe = () => (description ??= describeRoutes(routes, version, app.config.baseUrl));
  return [
    ...routes,
    ...assetRoutes(),
    ...clientPackageRoutes(version, () => app.config.baseUrl),
    ...signInPageRoutes(app),
    ...mfaPageRoutes(app),
    ...oauthRoutes(app),
    ...consentPageRoutes(app),
    ...ssoPageRoutes(app),
    ...accountPageRoutes(app),
    ...invitationPageRoutes(app),
    ...connectorPageRoutes(app),
    ...skillPageRoutes(app),
    ...reportPageRoutes(app),
    ...followingPageRoutes(app),
    ...workersPageRoutes(),
    ...cloneRoutes(app),
    ...keyDocumentRoutes(app),
    ...marketplaceGitRoutes(app),
    ...marketplaceCatalogRoutes(app),
    ...scimEndpointRoutes(app, [translateStorage, translateQueue]),
    ...docsRoutes(describe),
    ...healthRoutes(health),
    ...llmsRoutes(app),
    ...crawlerRoutes(app),
    ...sitemapRoutes(app),
    ...badgeRoutes(app),
    ...cardRoutes(app),
    ...publicRegistryRoutes(app),
    ...indexRoutes(app),
    ...clawhubRoutes(app),
    ...mcpRoutes(agentSurface(app), openForwarder(app), callServices(app), {
      version,
      draining: health.draining,
    }),
  ];
}

/** The HTTP application over an opened one. */
export function createApi(app: App, health: Health, metrics?: Metrics): Koa {
  const dashboard = openDashboard(pageDescriber(app));
  return createHttp({
    routes: [...serviceRoutes(app, health), ...dashboard.routes],
    pages: dashboard.pages,
    baseUrl: () => app.config.baseUrl,
    version: health.release.version,
    trustProxy: app.config.trustProxy,
    exemptNetworks: app.config.addressLimits.exempt,
    log: app.log,
    rateLimits: app.rateLimits,
    idempotency: idempotencyStore(app),
    translators: translatorsOf(app),
    anonymize: (address) => app.secrets.anonymize(address),
    authenticate: (credentials) => authenticate(app, credentials),
    observe: metrics?.observe,
  });
}

function translatorsOf(app: App): ErrorTranslator[] {
  return [translateStorage, translateQueue, (error, id) => translateRepos(app, error, id)];
}

function callServices(app: App): CallServices {
  const { log, rateLimits } = app;
  return {
    baseUrl: () => app.config.baseUrl,
    log,
    rateLimits,
    translators: translatorsOf(app),
    allowsAnonymous: () => allowsAnonymousMcp(app),
  };
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

function translateRepos(app: App, error: unknown, requestId: string): ServiceError | undefined {
  if (error instanceof RepoError && error.code === "repository_missing") {
    // The skill is being erased concurrently. If its document still exists, the log reports it.
    app.log.error({ error, requestId }, "a repository is missing");
    return new ServiceError(
      "not_found",
      "This skill was deleted concurrently.",
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
      "This service serves no clones: its machine has no git program. " +
        "Install the skill with svc, or download its package.",
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
