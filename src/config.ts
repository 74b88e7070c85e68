/** The environment as a typed configuration. The only reader of `process.env` in the service. */
import { isIP } from "node:net";
import path from "node:path";
import { z } from "zod";
import { limits } from "../contract/limits.ts";
import type { AnonymousMcpMode, CiProvider, SignUpMode } from "../contract/vocabulary.ts";
import type { ObjectStoreOptions } from "../repos/object-store/types.ts";
import { effectiveConfig, type EffectiveVariable } from "./effective-config.ts";
import { readHeaders, sender } from "./environment-forms.ts";
import { UsableEnvironment } from "./environment.ts";
import type { TrustedProxies } from "./network-address.ts";
import { withSecretFiles } from "./secret-files.ts";
import { readStore } from "./store-config.ts";

export interface Config {
  port: number;
  host: string;
  /** Without a trailing slash. */
  baseUrl: string;
  dataDir: string;
  gitRoot: string;
  /** Object store of the repositories; undefined: `gitRoot`. */
  gitStore: ObjectStoreOptions | undefined;
  /** Folder of the copies of what the object store has, and their limit. */
  cacheDir: string;
  cacheBytes: number;
  gitProgram: string;
  /** PATH in which programs are searched. */
  searchPath: string | undefined;
  mongodbUrl: string | undefined;
  mongodbDatabase: string;
  redisUrl: string | undefined;
  /** It has a folder for each organization, named by its id. */
  localRepositories: string | undefined;
  syncPrivateNetwork: boolean;
  github: {
    url: string;
    apiUrl: string;
    app: { id: number; privateKey: string; proof: "tag" | "none" } | undefined;
    /** The current one first. */
    webhookSecrets: readonly string[];
  };
  oidc: {
    /** The default of each provider first. */
    issuers: readonly { provider: CiProvider; issuer: string }[];
    privateNetwork: boolean;
  };
  /** `clientDocuments`: undefined for "while outbound requests are possible" (`src/oauth/document-support.ts`). */
  oauth: { privateNetwork: boolean; clientDocuments: boolean | undefined };
  /** Until an administrator decides (`src/accounts/administration/anonymous-mcp.ts`). */
  anonymousMcp: AnonymousMcpMode;
  /** Without a slash at the end; undefined: no catalog. */
  mcpCatalog: { url: string | undefined; privateNetwork: boolean };
  /** `listMs`: time that a caller waits for the lists of a server; the tests have another. */
  mcpCentral: { privateNetwork: boolean; listMs: number };
  /** Whether identity providers may be on private addresses, and reached over http. */
  ssoPrivateNetwork: boolean;
  /** Whether receivers of audit logs may be on private addresses, and reached over http. */
  webhookPrivateNetwork: boolean;
  secretKeys: string | undefined;
  /** Until an administrator decides (`src/users/sign-up-mode.ts`). */
  signUp: SignUpMode;
  smtpUrl: string | undefined;
  mailFrom: { name: string; address: string };
  /** Receives conditions of the service; `secret` begins with `whsec_`. */
  operatorWebhook: { url: string; secret: string; privateNetwork: boolean } | undefined;
  securityContacts: readonly string[] | undefined;
  trustProxy: TrustedProxies;
  /** Networks and hosts of private networks that outbound requests may reach, comma-separated. */
  outboundAllow: string | undefined;
  metricsPort: number | undefined;
  /** `ratio`: share of the requests and jobs that are traced. */
  tracing:
    | { endpoint: string; headers: Record<string, string>; serviceName: string; ratio: number }
    | undefined;
  drainSeconds: number;
  /** Limit of the storage of an organization without one of its own. */
  organizationStorageBytes: number | undefined;
  /** Syncs at a time in this process. */
  syncConcurrency: number;
  logLevel: string;
  rateLimits: boolean;
  /** `factor` multiplies the budgets of each address; those of addresses in the networks `exempt` have no end. */
  addressLimits: { factor: number; exempt: readonly string[] };
}

/**
 * Reads a configuration from environment variables; empty ones count as unset.
 * Throws an Error whose message lists every faulty variable at once.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const { values: given, faults } = withSecretFiles(set);
  // These are usual in lower case too, which then counts.
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"])
    given[name] = given[name.toLowerCase()] ?? given[name];
  const parsed = UsableEnvironment.safeParse(given);
  if (!parsed.success || faults.length > 0) {
    const found = [
      ...faults.map((fault) => `✖ ${fault}`),
      ...(parsed.error ? [z.prettifyError(parsed.error)] : []),
    ];
    throw new Error(`The configuration is not usable:\n${found.join("\n")}`);
  }
  const e = parsed.data;
  const dataDir = path.resolve(e.DATA_DIR);
  const host = e.HOST.includes(":") ? `[${e.HOST}]` : e.HOST;
  const baseUrl = e.BASE_URL ?? `http://${host}:${e.PORT}`;
  return {
    port: e.PORT,
    host: e.HOST,
    baseUrl,
    dataDir,
    gitRoot: path.resolve(e.GIT_ROOT ?? path.join(dataDir, "git")),
    gitStore: readStore(e, env["HOME"]),
    cacheDir: path.resolve(e.CACHE_DIR ?? path.join(dataDir, "cache")),
    cacheBytes: e.CACHE_MEGABYTES * 1024 * 1024,
    gitProgram: e.GIT_PROGRAM,
    searchPath: env["PATH"],
    mongodbUrl: e.MONGODB_URL,
    mongodbDatabase: e.MONGODB_DATABASE,
    redisUrl: e.REDIS_URL,
    localRepositories: e.LOCAL_REPOSITORIES === undefined ? undefined : path.resolve(e.LOCAL_REPOSITORIES),
    syncPrivateNetwork: e.SYNC_PRIVATE_NETWORK,
    github: {
      url: e.GITHUB_URL,
      apiUrl: e.GITHUB_API_URL,
      app:
        e.GITHUB_APP_ID !== undefined && e.GITHUB_APP_PRIVATE_KEY !== undefined
          ? { id: e.GITHUB_APP_ID, privateKey: e.GITHUB_APP_PRIVATE_KEY, proof: e.GITHUB_APP_PROOF }
          : undefined,
      webhookSecrets: e.GITHUB_WEBHOOK_SECRETS?.split(",") ?? [],
    },
    oidc: {
      issuers: [
        ...e.OIDC_GITHUB_ISSUERS.map((issuer) => ({ provider: "github", issuer }) as const),
        ...e.OIDC_GITLAB_ISSUERS.map((issuer) => ({ provider: "gitlab", issuer }) as const),
      ],
      privateNetwork: e.OIDC_PRIVATE_NETWORK,
    },
    oauth: { privateNetwork: e.OAUTH_PRIVATE_NETWORK, clientDocuments: e.OAUTH_CLIENT_DOCUMENTS },
    anonymousMcp: e.MCP_ANONYMOUS,
    mcpCatalog: {
      url: e.MCP_CATALOG_URL === "none" ? undefined : e.MCP_CATALOG_URL,
      privateNetwork: e.MCP_CATALOG_PRIVATE_NETWORK,
    },
    mcpCentral: { privateNetwork: e.MCP_CENTRAL_PRIVATE_NETWORK, listMs: limits.connectorListMs },
    ssoPrivateNetwork: e.SSO_PRIVATE_NETWORK,
    webhookPrivateNetwork: e.WEBHOOK_PRIVATE_NETWORK,
    secretKeys: e.SECRET_KEYS,
    signUp: e.SIGN_UP,
    smtpUrl: e.SMTP_URL,
    mailFrom: readSender(e.MAIL_FROM ?? defaultSender(baseUrl)),
    operatorWebhook:
      e.OPERATOR_WEBHOOK_URL !== undefined && e.OPERATOR_WEBHOOK_SECRET !== undefined
        ? {
            url: e.OPERATOR_WEBHOOK_URL,
            secret: e.OPERATOR_WEBHOOK_SECRET,
            privateNetwork: e.OPERATOR_WEBHOOK_PRIVATE_NETWORK,
          }
        : undefined,
    securityContacts: e.SECURITY_CONTACT,
    trustProxy: e.TRUST_PROXY,
    outboundAllow: e.OUTBOUND_ALLOW,
    metricsPort: e.METRICS_PORT,
    tracing:
      e.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: readHeaders(e.OTEL_EXPORTER_OTLP_HEADERS ?? "") ?? {},
            serviceName: e.OTEL_SERVICE_NAME,
            ratio: e.OTEL_TRACES_SAMPLER_ARG,
          },
    drainSeconds: e.DRAIN_SECONDS,
    organizationStorageBytes:
      e.ORGANIZATION_STORAGE_MEGABYTES && e.ORGANIZATION_STORAGE_MEGABYTES * 1024 * 1024,
    syncConcurrency: e.SYNC_CONCURRENCY,
    logLevel: e.LOG_LEVEL,
    rateLimits: e.RATE_LIMITS,
    addressLimits: { factor: e.ADDRESS_LIMIT_FACTOR, exempt: e.ADDRESS_LIMIT_EXEMPT ?? [] },
  };
}

/** The configuration with another object store, whose credentials are those of the environment. */
export const readConfigWithStore = (gitStore: string) => readConfig({ ...process.env, GIT_STORE: gitStore });

/** Each variable with its value and its origin, without secrets. Throws like `readConfig`. */
export function describeConfig(env: NodeJS.ProcessEnv = process.env): EffectiveVariable[] {
  readConfig(env);
  return effectiveConfig(env);
}

function readSender(text: string): Config["mailFrom"] {
  const [, name, address] = sender.exec(text) ?? [];
  if (address === undefined) return { name: "", address: text };
  return { name: name!.trim().replace(/^"(.*)"$/, "$1"), address };
}

/** No one reads replies to this address. An IP address is not a mail domain. */
function defaultSender(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  return `Skill registry <no-reply@${isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? hostname : "localhost"}>`;
}
