/** The environment as a typed configuration. The only reader of `process.env` in the service. */
import { accessSync, constants } from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import { z } from "zod";
import { limits } from "../contract/limits.ts";
import {
  anonymousMcpModes,
  signUpModes,
  type AnonymousMcpMode,
  type CiProvider,
  type SignUpMode,
} from "../contract/vocabulary.ts";
import { parseNetwork, type TrustedProxies } from "./network-address.ts";

/** Addresses for reports of vulnerabilities (RFC 9116). */
const contacts = z
  .string()
  .transform((text) => text.split(",").map((one) => one.trim().replace(/^(?=[^\s:@]+@[^\s:@]+$)/, "mailto:")))
  .refine(
    (list) => list.every((one) => /^(https:\/\/|mailto:|tel:)[\x21-\x7e]+$/.test(one) && URL.canParse(one)),
    "must be comma-separated e-mail addresses, or addresses with https:, mailto: or tel:",
  );

const port = z.coerce.number().int().min(0).max(65_535);
const flag = z.stringbool();

const webAddress = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ""));

/** Addresses of OpenID Connect issuers, which are compared as texts. Only those of this machine may be http. */
const issuers = z
  .string()
  .transform((text) => text.split(",").map((issuer) => issuer.trim()))
  .refine(
    (list) => list.every((issuer) => URL.canParse(issuer) && isIssuer(new URL(issuer), issuer)),
    "must be comma-separated addresses without a slash at the end, with https",
  )
  .refine((list) => list.length <= limits.oidcIssuers, `must be at most ${limits.oidcIssuers} addresses`);

function isIssuer({ protocol, hostname, username, search, hash }: URL, text: string): boolean {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const isPlain = username === "" && search === "" && hash === "" && !text.endsWith("/");
  return isPlain && (protocol === "https:" || (protocol === "http:" && isLocal));
}

/** True also for a text that is no URL at all, which another check reports. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password, pathname, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === "") && pathname === "/";
}

/** For `repos/transport/connections.ts`, which has these variables read by the usual rules. */
const proxy = z.url({ protocol: /^https?$/, error: "must start with http:// or https://" }).optional();

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

const proxiesInUse = 20;

/** Networks that hold all addresses would make what callers write themselves count. */
const proxies = z.string().transform((text, context): TrustedProxies => {
  const given = text.trim();
  const flagged = flag.safeParse(given);
  if (/^\d{1,2}$/.test(given) && Number(given) <= proxiesInUse) return Number(given);
  if (flagged.success) return flagged.data ? 1 : 0;
  const networks = given.split(",").map((network) => network.trim());
  if (networks.every((network) => (parseNetwork(network)?.bits ?? 0) > 0)) return networks;
  context.addIssue(
    `must be true for one proxy, the number of proxies (at most ${proxiesInUse}), or their comma-separated addresses and networks, such as 10.0.0.0/8`,
  );
  return z.NEVER;
});

/** As files of environment variables can hold it. */
function readPrivateKey(text: string): string {
  const pem = text.includes("-----BEGIN") ? text : Buffer.from(text, "base64").toString("utf8");
  return pem.replaceAll("\\n", "\n").trim();
}

const addressPart = '[^\\s\\p{C}@<>"(),:;\\\\]+';
const sender = new RegExp(
  `^(?:([^\\p{C}<>]*)<(${addressPart}@${addressPart})>|${addressPart}@${addressPart})$`,
  "u",
);

/** Every environment variable of the service; a test compares `docs/guides/deploy.md` with this list. */
export const Environment = z.object({
  PORT: port.default(3000).describe("port of the HTTP listener; 0 selects a free one"),
  HOST: z.string().min(1).default("127.0.0.1").describe("address of the HTTP listener"),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .refine(
      isOrigin,
      "must have nothing after the host and port, since the service needs a host name of its own, such as https://skills.example.com",
    )
    .transform((url) => new URL(url).origin)
    .optional()
    .describe("address of the service for users, without a path; default http://HOST:PORT"),
  DATA_DIR: z.string().min(1).default("./data").describe("folder for all stored data"),
  MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, "must start with mongodb:// or mongodb+srv://")
    .optional()
    .describe("a MongoDB 6.0+ server instead of the embedded engine; the URL also sets the write concern"),
  MONGODB_DATABASE: z
    .string()
    .regex(/^[\w-]{1,38}$/)
    .default("svc")
    .describe("name of the database"),
  REDIS_URL: z
    .string()
    .min(1)
    .optional()
    .describe("a Redis 6.2+ server (noeviction) instead of the embedded queue engine"),
  GIT_ROOT: z.string().min(1).optional().describe("folder of the bare repositories; default DATA_DIR/git"),
  GIT_PROGRAM: z.string().min(1).default("git").describe("git program, required for serving clones"),
  LOCAL_REPOSITORIES: z
    .string()
    .min(1)
    .optional()
    .describe(
      "folder of bare repositories that can be connected, with a folder per organization id; none if unset",
    ),
  SYNC_PRIVATE_NETWORK: flag
    .default(false)
    .describe("whether repositories may be connected over http and on private addresses"),
  GITHUB_URL: webAddress
    .default("https://github.com")
    .describe("address of GitHub, or of a GitHub Enterprise server"),
  GITHUB_API_URL: webAddress
    .default("https://api.github.com")
    .describe("address of the REST API; GITHUB_URL/api/v3 for an Enterprise server"),
  GITHUB_APP_ID: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe("id of the GitHub App by which repositories are connected"),
  GITHUB_APP_PRIVATE_KEY: z
    .string()
    .transform(readPrivateKey)
    .refine(
      (key) => /^-----BEGIN (RSA )?PRIVATE KEY-----\n/.test(key),
      "must be a PEM private key, or one in base64",
    )
    .optional()
    .describe("private key of the App: PEM, with line feeds as \\n, or PEM in base64"),
  GITHUB_WEBHOOK_SECRETS: z
    .string()
    .regex(/^[^\s,]{16,}(,[^\s,]{16,})*$/, "must be comma-separated secrets of at least 16 characters")
    .optional()
    .describe("comma-separated secrets of the App's webhook; two while one replaces the other"),
  GITHUB_APP_PROOF: z
    .enum(["tag", "none"])
    .default("tag")
    .describe("proof of write access from members who connect a repository by the App"),
  OIDC_GITHUB_ISSUERS: issuers
    .default(["https://token.actions.githubusercontent.com"])
    .describe("comma-separated issuers of GitHub Actions whose identity tokens organizations may trust"),
  OIDC_GITLAB_ISSUERS: issuers
    .default(["https://gitlab.com"])
    .describe(
      "comma-separated addresses of the GitLab instances whose identity tokens organizations may trust",
    ),
  OIDC_PRIVATE_NETWORK: flag
    .default(false)
    .describe("whether these issuers may be on private addresses, and on this machine over http"),
  OAUTH_PRIVATE_NETWORK: flag
    .default(false)
    .describe(
      "whether metadata documents of OAuth clients may be on private addresses, and on this machine over http",
    ),
  OAUTH_CLIENT_DOCUMENTS: flag
    .optional()
    .describe(
      "whether OAuth clients may use metadata documents in place of a registration; if unset, while outbound requests are possible",
    ),
  MCP_ANONYMOUS: z
    .enum(anonymousMcpModes)
    .default("auto")
    .describe(
      "whether agents can use /mcp without a sign-in; auto: while there is a public skill; until an administrator decides",
    ),
  MCP_CATALOG_URL: z
    .union([z.literal("none"), webAddress])
    .default("https://registry.modelcontextprotocol.io")
    .describe("registry whose MCP servers organizations can import; none: without a catalog"),
  MCP_CATALOG_PRIVATE_NETWORK: flag
    .default(false)
    .describe("whether this registry may be on a private address, and on this machine over http"),
  MCP_CENTRAL_PRIVATE_NETWORK: flag
    .default(false)
    .describe("whether hosted connectors may reach servers over http and on private addresses"),
  SSO_PRIVATE_NETWORK: flag
    .default(false)
    .describe("whether identity providers may be on private addresses, and reached over http"),
  SECRET_KEYS: z
    .string()
    .regex(
      /^[\w-]{1,32}:[A-Za-z0-9+/]{43}=(,[\w-]{1,32}:[A-Za-z0-9+/]{43}=)*$/,
      "must be id:base64 pairs of 32 bytes, comma-separated",
    )
    .optional()
    .describe(
      "encryption keys for stored secrets, the current one first; created in DATA_DIR/secrets if unset",
    ),
  SIGN_UP: z
    .enum(signUpModes)
    .default("open")
    .describe(
      "open: anyone can create an account; invite: invited people only; until an administrator decides",
    ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe("smtp:// or smtps:// server for mail; if unset, mails are written to files in DATA_DIR/mail"),
  MAIL_FROM: z
    .string()
    .max(320)
    .trim()
    .regex(sender, 'must be an address, or "Name <address>"')
    .optional()
    .describe("sender of mails; default Skill registry <no-reply@ the host of BASE_URL>"),
  SECURITY_CONTACT: contacts
    .optional()
    .describe("where to report vulnerabilities: comma-separated e-mail or https addresses; none if unset"),
  TRUST_PROXY: proxies
    .default(0)
    .describe(
      "proxies in front of the service: true for one, their number, or their addresses and networks, comma-separated",
    ),
  HTTPS_PROXY: proxy.describe(
    "proxy for outbound requests with https: http:// or https://, with credentials if needed",
  ),
  HTTP_PROXY: proxy.describe("proxy for outbound requests with http"),
  NO_PROXY: z.string().optional().describe("comma-separated hosts that are reached without the proxy"),
  NODE_EXTRA_CA_CERTS: z
    .string()
    .refine(isReadable, "must be a file that can be read: Node.js ignores any other")
    .optional()
    .describe("file of further certificate authorities to trust, in PEM"),
  METRICS_PORT: port.optional().describe("port of the Prometheus metrics; none if unset"),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("minimum level of log entries"),
  RATE_LIMITS: flag
    .default(true)
    .describe("whether rate limits apply; switch them off only behind a rate limiter of your own"),
});

const wildcards = ["0.0.0.0", "::", "[::]", "0"];

const usable = Environment.refine(
  ({ BASE_URL, HOST }) => BASE_URL !== undefined || !wildcards.includes(HOST),
  {
    path: ["BASE_URL"],
    message: "must be set if HOST is that of all networks: the address under which users reach the service",
  },
).refine(
  ({ OIDC_PRIVATE_NETWORK, OIDC_GITHUB_ISSUERS, OIDC_GITLAB_ISSUERS }) =>
    OIDC_PRIVATE_NETWORK ||
    [...OIDC_GITHUB_ISSUERS, ...OIDC_GITLAB_ISSUERS].every((issuer) => issuer.startsWith("https:")),
  { path: ["OIDC_PRIVATE_NETWORK"], message: "must be true for an issuer with http" },
);

export interface Config {
  port: number;
  host: string;
  /** Without a trailing slash. */
  baseUrl: string;
  dataDir: string;
  gitRoot: string;
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
  secretKeys: string | undefined;
  /** Until an administrator decides (`src/users/sign-up-mode.ts`). */
  signUp: SignUpMode;
  smtpUrl: string | undefined;
  mailFrom: { name: string; address: string };
  securityContacts: readonly string[] | undefined;
  trustProxy: TrustedProxies;
  metricsPort: number | undefined;
  logLevel: string;
  rateLimits: boolean;
}

/**
 * Reads a configuration from environment variables; empty ones count as unset.
 * Throws an Error whose message lists every faulty variable at once.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  // These are usual in lower case too, which then counts.
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"])
    given[name] = given[name.toLowerCase()] ?? given[name];
  const parsed = usable.safeParse(given);
  if (!parsed.success) throw new Error(`The configuration is not usable:\n${z.prettifyError(parsed.error)}`);

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
    secretKeys: e.SECRET_KEYS,
    signUp: e.SIGN_UP,
    smtpUrl: e.SMTP_URL,
    mailFrom: readSender(e.MAIL_FROM ?? defaultSender(baseUrl)),
    securityContacts: e.SECURITY_CONTACT,
    trustProxy: e.TRUST_PROXY,
    metricsPort: e.METRICS_PORT,
    logLevel: e.LOG_LEVEL,
    rateLimits: e.RATE_LIMITS,
  };
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
