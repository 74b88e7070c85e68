/** The environment as a typed configuration. The only reader of `process.env` in the service. */
import path from "node:path";
import { z } from "zod";

const port = z.coerce.number().int().min(0).max(65_535);
const flag = z.stringbool();

/** Every variable the service knows; `docs/operations.md` is held to this list by a test. */
export const Environment = z.object({
  PORT: port.default(3000).describe("port of the HTTP listener; 0 takes a free one"),
  HOST: z.string().min(1).default("127.0.0.1").describe("address of the HTTP listener"),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address that users reach the service by; default http://HOST:PORT"),
  DATA_DIR: z.string().min(1).default("./data").describe("folder of everything that is kept"),
  MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, "must start with mongodb:// or mongodb+srv://")
    .optional()
    .describe("a MongoDB 6.0+ server in place of the embedded engine; its write concern is taken from here"),
  MONGODB_DATABASE: z
    .string()
    .regex(/^[\w-]{1,38}$/)
    .default("svc")
    .describe("name of the database"),
  REDIS_URL: z
    .string()
    .min(1)
    .optional()
    .describe("a Redis 6.2+ server (noeviction) in place of the embedded queue engine"),
  GIT_ROOT: z.string().min(1).optional().describe("folder of the bare repositories; default DATA_DIR/git"),
  SECRET_KEYS: z
    .string()
    .regex(
      /^[\w-]{1,32}:[A-Za-z0-9+/]{43}=(,[\w-]{1,32}:[A-Za-z0-9+/]{43}=)*$/,
      "must be id:base64 pairs of 32 bytes, comma-separated",
    )
    .optional()
    .describe("keys for secrets at rest, first is current; created in DATA_DIR/secrets when unset"),
  SIGN_UP: z.enum(["open", "invite"]).default("open").describe("whether anybody may create an account"),
  TRUST_PROXY: flag.default(false).describe("take the caller's address from the end of X-Forwarded-For"),
  METRICS_PORT: port.optional().describe("port of the Prometheus page; unset serves none"),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("least level that is logged"),
  RATE_LIMITS: flag
    .default(true)
    .describe("whether rate limits apply; switch off only behind a limiter of your own"),
});

export interface Config {
  port: number;
  host: string;
  /** Without a trailing slash. */
  baseUrl: string;
  dataDir: string;
  gitRoot: string;
  mongodbUrl: string | undefined;
  mongodbDatabase: string;
  redisUrl: string | undefined;
  secretKeys: string | undefined;
  signUp: "open" | "invite";
  trustProxy: boolean;
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
  const parsed = Environment.safeParse(given);
  if (!parsed.success) throw new Error(`The configuration is not usable:\n${z.prettifyError(parsed.error)}`);

  const e = parsed.data;
  const dataDir = path.resolve(e.DATA_DIR);
  const host = e.HOST.includes(":") ? `[${e.HOST}]` : e.HOST;
  return {
    port: e.PORT,
    host: e.HOST,
    baseUrl: (e.BASE_URL ?? `http://${host}:${e.PORT}`).replace(/\/+$/, ""),
    dataDir,
    gitRoot: path.resolve(e.GIT_ROOT ?? path.join(dataDir, "git")),
    mongodbUrl: e.MONGODB_URL,
    mongodbDatabase: e.MONGODB_DATABASE,
    redisUrl: e.REDIS_URL,
    secretKeys: e.SECRET_KEYS,
    signUp: e.SIGN_UP,
    trustProxy: e.TRUST_PROXY,
    metricsPort: e.METRICS_PORT,
    logLevel: e.LOG_LEVEL,
    rateLimits: e.RATE_LIMITS,
  };
}
