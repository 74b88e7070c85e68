/**
 * Diagnoses of the servers that the configuration and the organizations name. Each has a time limit, and no text names
 * a secret, or has text of a server.
 */
import { unprintable } from "../../contract/checks/unsafe-characters.ts";
import { withinTime } from "../../contract/concurrency/within-time.ts";
import { limits } from "../../contract/limits.ts";
import { RepoError } from "../../repos/errors.ts";
import { describeApp } from "../../repos/hosts/github.ts";
import { hasProxy } from "../../repos/transport/connections.ts";
import { readRedisServer } from "../../storage/redis.ts";
import type { SsoProviderDoc } from "../../storage/sso/providers.ts";
import type { Stores } from "../app.ts";
import type { Config } from "../config.ts";
import { publicCatalog } from "../environment.ts";
import { verifyMailServer } from "../mail/mailer.ts";
import { fetchCatalogPage } from "../mcp-servers/catalog/mirror.ts";
import { checkDiscovery } from "../sso/providers/connection.ts";
import { fetchMetadata } from "../sso/saml/metadata.ts";
import { failed, type Diagnosis } from "./diagnosis.ts";

/** Time limit of each line, and of each identity provider, which are asked concurrently. */
const [answerMs, providerMs] = [10_000, 5000];
const maxProviders = 20;

type Finding = Omit<Diagnosis, "name">;

const ok = (text: string): Finding => ({ state: "ok", text });
const note = (text: string): Finding => ({ state: "note", text });

async function diagnosed(name: string, find: () => Promise<Finding>): Promise<Diagnosis> {
  try {
    const finding = await withinTime(find(), answerMs, () => {
      throw new Error(`No response within ${answerMs / 1000} s.`);
    });
    return { name, ...finding };
  } catch (error) {
    return failed(name, error);
  }
}

/** Connects to the mail server and signs in to it; no mail is sent. */
export const diagnoseMail = ({ smtpUrl }: Config): Promise<Diagnosis> =>
  diagnosed("mail", async () => {
    if (smtpUrl === undefined)
      return note("Not configured: mails are written to files in DATA_DIR/mail. Set SMTP_URL to send them.");
    await verifyMailServer(smtpUrl);
    return ok(`The mail server ${new URL(smtpUrl).host} responds`);
  });

/** Authenticates as the GitHub App. */
export const diagnoseGitHub = ({ github: { apiUrl, app } }: Config): Promise<Diagnosis> =>
  diagnosed("github app", async () => {
    if (!app)
      return note(
        "Not configured: repositories at GitHub are connected by tokens. Set GITHUB_APP_ID for an App.",
      );
    try {
      return ok(`The App ${await describeApp({ apiUrl }, app)} authenticates at ${apiUrl}`);
    } catch (error) {
      const reason = error instanceof RepoError ? error.message : "The private key can't be used.";
      const remedy = "Check GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY and GITHUB_API_URL.";
      throw new Error(`${reason} ${remedy}`, { cause: error });
    }
  });

/** Reads a page of the catalog of MCP servers. */
export const diagnoseCatalog = (config: Config): Promise<Diagnosis> =>
  diagnosed("catalog", async () => {
    const { url } = config.mcpCatalog;
    if (url === undefined) return note("Not configured: MCP_CATALOG_URL is none");
    try {
      await fetchCatalogPage({ config }, new URL(`${url}/v0.1/servers?limit=1`));
      return ok(`The catalog at ${new URL(url).host} responds`);
    } catch (error) {
      const text = `The catalog can't be read: ${(error as Error).message}. Check MCP_CATALOG_URL, or set it to none.`;
      // A service that reaches no public hosts may be intended to be so.
      if (url === publicCatalog && !hasProxy(url)) return note(text);
      throw new Error(text, { cause: error });
    }
  });

/** Reads the discovery documents and the metadata of enabled identity providers. */
export const diagnoseProviders = (stores: Stores): Promise<Diagnosis> =>
  diagnosed("identity", async () => {
    const found = await stores.storage.ssoProviders.listAnyEnabled(maxProviders + 1);
    if (found.length === 0) return note("Not configured: no identity provider is enabled");
    const asked = found.slice(0, maxProviders);
    const results = await Promise.all(asked.map((provider) => checkProvider(stores, provider)));
    const problems = results.flatMap((result) => (typeof result === "string" ? [result] : []));
    if (problems.length > 0)
      throw new Error(
        `${problems.length} of ${asked.length} identity providers can't be read. ${problems.join(" ")}`,
      );
    const unread = results.filter((isRead) => isRead === false).length;
    const parts = [
      `Identity providers that respond: ${asked.length - unread}`,
      ...(unread > 0 ? [`without an address of their metadata: ${unread}`] : []),
      ...(found.length > asked.length ? [`not checked: those after the first ${maxProviders}`] : []),
    ];
    return ok(parts.join("; "));
  });

/** Whether it has been read; a sentence if that failed. The name of a provider is text of an organization. */
async function checkProvider(stores: Stores, { _id, oidc, saml }: SsoProviderDoc): Promise<boolean | string> {
  const read = async () => {
    if (oidc) await checkDiscovery(stores, oidc.issuer);
    else if (saml?.metadataUrl === undefined) return false;
    else {
      const { entityId } = await fetchMetadata(stores, saml.metadataUrl);
      if (entityId !== saml.entityId) throw new Error("Its metadata has another entityID.");
    }
    return true;
  };
  try {
    return await withinTime(read(), providerMs, () => {
      throw new Error(`No response within ${providerMs / 1000} s.`);
    });
  } catch (error) {
    return `${_id}: ${(error as Error).message.replace(unprintable, " ")}`;
  }
}

/** Compares the clock of this machine with those of the engines. */
export const diagnoseClock = ({ storage, config }: Stores): Promise<Diagnosis> =>
  diagnosed("clock", async () => {
    const { redisUrl } = config;
    const offsets = await Promise.all([
      offsetOf("the database", async () => (await storage.database.describe()).time),
      ...(redisUrl === undefined
        ? []
        : [offsetOf("Redis", async () => (await readRedisServer(redisUrl, answerMs))?.time)]),
    ]);
    return describeClock(offsets.filter((offset) => offset !== undefined));
  });

interface Offset {
  from: string;
  ms: number;
}

async function offsetOf(
  from: string,
  readTime: () => Promise<Date | undefined>,
): Promise<Offset | undefined> {
  const startedAt = Date.now();
  const time = await readTime();
  return time && { from, ms: (startedAt + Date.now()) / 2 - time.getTime() };
}

/** Throws an Error at a difference at which sign-ins by identity providers fail. */
export function describeClock(offsets: readonly Offset[]): Finding {
  const seconds = (ms: number) => `${(Math.abs(ms) / 1000).toFixed(1)} s`;
  const wrong = offsets.find(({ ms }) => Math.abs(ms) > limits.ssoClockSkewMs);
  if (wrong)
    throw new Error(
      `The clock of this machine differs by ${seconds(wrong.ms)} from that of ${wrong.from}: synchronize both (NTP).`,
    );
  if (offsets.length === 0) return note("Not checked: no engine reports its time");
  return ok(`Differs by ${offsets.map(({ from, ms }) => `${seconds(ms)} from that of ${from}`).join(", ")}`);
}
