/** `doctor`: checks everything that the service depends on. A failed check does not prevent the others. */
import { withinTime } from "../../contract/concurrency/within-time.ts";
import { RepoError } from "../../repos/errors.ts";
import { describeLocation } from "../../repos/object-store/location.ts";
import { fetchText } from "../../repos/transport/fetch-text.ts";
import { allowOutbound } from "../../repos/transport/outbound-allow.ts";
import type { App, Stores } from "../app.ts";
import type { Config } from "../config.ts";
import {
  checkDatabase,
  checkDisks,
  checkGit,
  checkOutbound,
  checkQueue,
  checkRestore,
  type Check,
} from "../jobs/health.ts";
import { outboundProblem } from "../oauth/document-support.ts";
import type { Queue } from "../queue/index.ts";
import { openSecrets } from "../secrets.ts";
import {
  diagnoseCatalog,
  diagnoseClock,
  diagnoseGitHub,
  diagnoseMail,
  diagnoseProviders,
} from "./diagnose-servers.ts";
import { failed, type Diagnosis } from "./diagnosis.ts";
import { compareKeyRing } from "./keys/claim-key-ring.ts";
import { examineKeys } from "./keys/examine-keys.ts";
import { requireStore } from "./preflight.ts";
import { requireCompleteImport } from "./transfer.ts";

/** Limits of the request to the service's own address. */
const requestLimits = { allowPrivateNetwork: true, maxBytes: 20_000, requestMs: 5000, maxRedirects: 0 };
/** A queue that responds slowly does not prevent a start, so that opening one takes as long as it needs. */
const openQueueMs = 60_000;

const resultOf = (name: string, { ok, detail }: Pick<Check, "ok" | "detail">): Diagnosis => ({
  name,
  state: ok ? "ok" : "problem",
  text: detail,
});

export async function diagnose(
  config: Config,
  engines: { openStores: () => Promise<Stores>; openQueue: () => Promise<Queue> },
): Promise<Diagnosis[]> {
  const app = { config, now: () => new Date() };
  // The stores may not open.
  allowOutbound(config.outboundAllow);
  const [stores, objects, queue, git, outbound, address, mail, gitHub, catalog, disks] = await Promise.all([
    engines.openStores().catch((error: unknown) => failed("database", error)),
    diagnoseObjects(config),
    withinTime(engines.openQueue(), openQueueMs, () => {
      throw new Error(`The job queue does not respond within ${openQueueMs / 1000} s.`);
    }).catch((error: unknown) => failed("queue", error)),
    checkGit(app),
    diagnoseOutbound(app),
    checkAddress(config),
    diagnoseMail(config),
    diagnoseGitHub(config),
    diagnoseCatalog(config),
    checkDisks(app),
  ]);
  const [database, ...ofStores] =
    "state" in stores
      ? [stores]
      : await Promise.all([
          checkDatabase(stores).then((check) => resultOf("database", check)),
          diagnoseProviders(stores),
          diagnoseClock(stores),
        ]);
  return [
    database,
    ...objects,
    "state" in queue ? queue : resultOf("queue", await checkQueue({ queue, config })),
    resultOf("git", git),
    outbound,
    address,
    mail,
    gitHub,
    catalog,
    ...ofStores,
    ...disks.map(({ name, ok, freeBytes }) =>
      resultOf(`disk of ${name}`, { ok, detail: `${freeBytes ?? "unknown"} bytes free` }),
    ),
    ...("state" in stores ? [] : await checkContent(stores)),
  ];
}

/** Nothing for repositories in the file system. */
async function diagnoseObjects(config: Config): Promise<Diagnosis[]> {
  const { gitStore } = config;
  if (gitStore === undefined) return [];
  const name = "objects";
  const at = describeLocation(gitStore.location);
  return [
    await requireStore(config).then(
      (found) => {
        const works = `PUT, GET, ${found?.isConditional === true ? "conditional PUT, " : ""}range and DELETE work`;
        const text = `${at}: ${works}${found?.isConditional === true ? "" : ", conditional PUT does not"}`;
        return { name, state: "ok", text } as const;
      },
      (error: unknown) => failed(name, error),
    ),
  ];
}

/** State of what is stored: whether it is complete, belongs to the Git root, and can be decrypted. */
async function checkContent(stores: Stores): Promise<Diagnosis[]> {
  const found = [resultOf("restore", await checkRestore(stores))];
  await requireCompleteImport(stores).catch((error: unknown) => found.push(failed("import", error)));
  await requireKeys(stores).catch((error: unknown) => found.push(failed("keys", error)));
  for (const { isOk, text } of await examineKeys(stores))
    found.push(resultOf("keys", { ok: isOk, detail: text }));
  return found;
}

/** Throws if a process with these keys does not start. Keys that the first start creates are not missing. */
async function requireKeys(stores: Stores): Promise<void> {
  const { dataDir, secretKeys: keys } = stores.config;
  if (keys === undefined && (await stores.storage.keyRing.find()) === null) return;
  await compareKeyRing({ ...stores, secrets: openSecrets({ keys, dataDir, mayCreate: false }) });
}

/** A service that reaches no public hosts, and is configured for none, may be intended to be so. */
async function diagnoseOutbound(app: Pick<App, "config" | "now">): Promise<Diagnosis> {
  const found = resultOf("outbound", await checkOutbound(app));
  const isAsked = app.config.oauth.clientDocuments === undefined;
  const isNote = found.state === "ok" && isAsked && (await outboundProblem(app)) !== undefined;
  return isNote ? { ...found, state: "note" } : found;
}

/** Whether the service's address leads to a process that has the same address. */
async function checkAddress({ baseUrl }: Config): Promise<Diagnosis> {
  const name = "address";
  let resource: unknown;
  try {
    const text = await fetchText(`${baseUrl}/.well-known/oauth-protected-resource/mcp`, requestLimits);
    ({ resource } = JSON.parse(text) as { resource?: unknown });
  } catch (error) {
    const { message } = error as Error;
    const isAbsent =
      error instanceof RepoError && (error.code === "remote_unreachable" || error.code === "remote_failed");
    if (isAbsent)
      return {
        name,
        state: "note",
        text: `Not checked: no service responds at BASE_URL ${baseUrl} (${message}).`,
      };
  }
  if (resource === `${baseUrl}/mcp`) return { name, state: "ok", text: `The service responds at ${baseUrl}` };
  const other = typeof resource === "string" && URL.canParse(resource) ? new URL(resource).origin : undefined;
  const text =
    other === undefined
      ? `Another server responds at BASE_URL ${baseUrl}: set BASE_URL to the address under which ` +
        "users reach the service, and let the proxy forward all paths."
      : `The service at ${baseUrl} has the BASE_URL ${other}: set the same for all processes and commands.`;
  return { name, state: "problem", text };
}
