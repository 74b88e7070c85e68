/** Every environment variable of the service, with its form. */
import { z } from "zod";
import { anonymousMcpModes, signUpModes } from "../contract/vocabulary.ts";
import { parseLocation } from "../repos/object-store/location.ts";
import { parseAllowedHosts } from "../repos/transport/outbound-allow.ts";
import {
  contacts,
  flag,
  isOrigin,
  isReadable,
  issuers,
  networks,
  port,
  proxies,
  proxy,
  readHeaders,
  readPrivateKey,
  sender,
  webAddress,
} from "./environment-forms.ts";

/** Catalog of MCP servers unless another one is set. */
export const publicCatalog = "https://registry.modelcontextprotocol.io";

/** Every environment variable of the service; a test compares `docs/guides/deploy.md` with this list. */
export const Environment = z.object({
  PORT: port.default(3000).describe("port of the HTTP listener; 0 selects a free one"),
  HOST: z
    .string()
    .regex(/^[^\s/]+$/, "must be an address or a host name, without spaces")
    .default("127.0.0.1")
    .describe("address of the HTTP listener"),
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
  GIT_STORE: z
    .string()
    .superRefine((text, context) => {
      try {
        parseLocation(text);
      } catch (error) {
        context.addIssue((error as Error).message);
      }
    })
    .optional()
    .describe(
      "bucket of an S3-compatible object store for the repositories, as s3://bucket/prefix; GIT_ROOT if unset",
    ),
  CACHE_DIR: z
    .string()
    .min(1)
    .optional()
    .describe("folder of the copies of what GIT_STORE has; default DATA_DIR/cache"),
  CACHE_MEGABYTES: z.coerce
    .number()
    .int()
    .min(64)
    .default(10_240)
    .describe("size of these copies, of which the least recently used are removed"),
  AWS_REGION: z.string().min(1).optional().describe("region of GIT_STORE if its address has none"),
  AWS_ACCESS_KEY_ID: z.string().min(1).optional().describe("key for GIT_STORE"),
  AWS_SECRET_ACCESS_KEY: z.string().min(1).optional().describe("secret of this key"),
  AWS_SESSION_TOKEN: z.string().min(1).optional().describe("session token of a temporary key"),
  AWS_ROLE_ARN: z.string().min(1).optional().describe("role to assume with AWS_WEB_IDENTITY_TOKEN_FILE"),
  AWS_WEB_IDENTITY_TOKEN_FILE: z
    .string()
    .min(1)
    .optional()
    .describe("file with the workload's identity token, which is read again when it changes"),
  AWS_ROLE_SESSION_NAME: z
    .string()
    .regex(/^[\w+=,.@-]{2,64}$/)
    .default("svc")
    .describe("name of the sessions of this role"),
  AWS_ENDPOINT_URL_STS: webAddress
    .optional()
    .describe("address of the token service for this role; default that of the region"),
  AWS_SHARED_CREDENTIALS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe("file of profiles with keys; default ~/.aws/credentials"),
  AWS_PROFILE: z.string().min(1).default("default").describe("profile in this file"),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: webAddress
    .optional()
    .describe("server of the container's credentials, with https or on this machine"),
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: z
    .string()
    .regex(/^\/[\x21-\x7e]*$/, "must begin with a slash")
    .optional()
    .describe("path of the container's credentials at 169.254.170.2"),
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: z
    .string()
    .min(1)
    .optional()
    .describe("file with the token for the server of the container's credentials"),
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
    .default(publicCatalog)
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
  WEBHOOK_PRIVATE_NETWORK: flag
    .default(false)
    .describe(
      "whether receivers of audit logs and webhooks may be on private addresses, and reached over http",
    ),
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
  OPERATOR_WEBHOOK_URL: webAddress
    .optional()
    .describe("address to which problems of the service are sent, next to the mails to administrators"),
  OPERATOR_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, "must be whsec_ and 24 to 64 bytes in base64")
    .optional()
    .describe("secret by which these requests are signed, as whsec_ and base64"),
  OPERATOR_WEBHOOK_PRIVATE_NETWORK: flag
    .default(false)
    .describe("whether this address may be a private one, and use http"),
  SECURITY_CONTACT: contacts
    .optional()
    .describe("where to report vulnerabilities: comma-separated e-mail or https addresses; none if unset"),
  TRUST_PROXY: proxies
    .default(0)
    .describe(
      "proxies in front of the service: true for one, their number, or their addresses and networks, comma-separated",
    ),
  OUTBOUND_ALLOW: z
    .string()
    .refine(
      (text) => parseAllowedHosts(text) !== undefined,
      "must be comma-separated networks and host names, such as 10.20.0.0/16,git.corp.example",
    )
    .optional()
    .describe(
      "comma-separated private networks and hosts that outbound requests of every kind may reach; none if unset",
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
  METRICS_PORT: port
    .optional()
    .describe("port of the Prometheus metrics, and of health also in workers; none if unset"),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress
    .optional()
    .describe("OpenTelemetry collector that receives traces by OTLP over HTTP; none if unset"),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .refine(
      (text) => readHeaders(text) !== undefined,
      "must be comma-separated headers such as name=value, with percent-encoded values",
    )
    .optional()
    .describe("headers of these requests, such as name=value,name=value"),
  OTEL_SERVICE_NAME: z.string().min(1).max(100).default("svc").describe("name of the service in traces"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("share of the requests and jobs that are traced, unless their caller has decided"),
  DRAIN_SECONDS: z.coerce
    .number()
    .min(0)
    .max(300)
    .default(5)
    .describe("time between SIGTERM, from which /readyz is 503, and the end of the listener"),
  ORGANIZATION_STORAGE_MEGABYTES: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe("storage of an organization, unless an administrator sets another limit for it"),
  SYNC_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe("syncs at a time in a worker process, each in a process of its own"),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("minimum level of log entries"),
  RATE_LIMITS: flag
    .default(true)
    .describe("whether rate limits apply; switch them off only behind a rate limiter of your own"),
  ADDRESS_LIMIT_FACTOR: z.coerce
    .number("must be a number such as 200, by which each rate limit per address is multiplied")
    .min(1, "must be at least 1: it multiplies each rate limit per address")
    .max(10_000, "must be at most 10000: exempt the network by ADDRESS_LIMIT_EXEMPT instead")
    .default(1)
    .describe("multiplies each rate limit per address, for people who share one"),
  ADDRESS_LIMIT_EXEMPT: networks
    .optional()
    .describe("comma-separated networks whose callers have no rate limits per address; none if unset"),
});

const wildcards = ["0.0.0.0", "::", "[::]", "0"];

/** With the rules that concern several of them. */
export const UsableEnvironment = Environment.refine(
  ({ BASE_URL, HOST }) => BASE_URL !== undefined || !wildcards.includes(HOST),
  {
    path: ["BASE_URL"],
    message: "must be set if HOST is that of all networks: the address under which users reach the service",
  },
)
  .refine(
    ({ GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY }) =>
      (GITHUB_APP_ID === undefined) === (GITHUB_APP_PRIVATE_KEY === undefined),
    {
      path: ["GITHUB_APP_ID"],
      message: "must be set together with GITHUB_APP_PRIVATE_KEY: a GitHub App needs both",
    },
  )
  .refine(
    ({ OPERATOR_WEBHOOK_URL, OPERATOR_WEBHOOK_SECRET }) =>
      (OPERATOR_WEBHOOK_URL === undefined) === (OPERATOR_WEBHOOK_SECRET === undefined),
    {
      path: ["OPERATOR_WEBHOOK_URL"],
      message: "must be set together with OPERATOR_WEBHOOK_SECRET, by which the receiver knows the sender",
    },
  )
  .refine(
    ({ OIDC_PRIVATE_NETWORK, OIDC_GITHUB_ISSUERS, OIDC_GITLAB_ISSUERS }) =>
      OIDC_PRIVATE_NETWORK ||
      [...OIDC_GITHUB_ISSUERS, ...OIDC_GITLAB_ISSUERS].every((issuer) => issuer.startsWith("https:")),
    { path: ["OIDC_PRIVATE_NETWORK"], message: "must be true for an issuer with http" },
  );
