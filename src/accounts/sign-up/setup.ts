/**
 * The first account of an empty service becomes its administrator. So that a stranger can't create it, it requires the
 * secret of the set-up link that the service prints at its start, or a call from the same machine.
 */
import { randomBytes } from "node:crypto";
import { BlockList, isIP } from "node:net";
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import type { RequestInfo } from "../../http/route.ts";
import { equalSecrets } from "../../secrets.ts";

const recordId = "setup";

/** The link that creates the first account, the same at each start; undefined once an account exists. */
export async function ensureSetupLink(app: App): Promise<string | undefined> {
  if (await app.storage.users.hasAny()) return undefined;
  return `${app.config.baseUrl}/setup?token=${await setupToken(app)}`;
}

async function setupToken(app: App): Promise<string> {
  const fresh = randomBytes(32).toString("base64url");
  const sealed = app.secrets.seal(fresh, recordId);
  const kept = await app.storage.setup.claim(sealed);
  try {
    return app.secrets.open(kept.sealedToken, recordId);
  } catch {
    // Encrypted with a key that no longer exists: the link can't be shown again, so a new one replaces it.
    await app.storage.setup.replace(sealed);
    return fresh;
  }
}

/** Refuses a first sign-up that neither has the secret of the link nor comes from this machine. */
export async function checkFirstSignUp(
  app: App,
  given: string | undefined,
  request: RequestInfo,
): Promise<void> {
  if (given !== undefined && given !== "") {
    if (equalSecrets(given, await setupToken(app))) return;
    throw forbidden("The set-up link is not the one of this service: take it from the log of its start.");
  }
  if (isFromThisMachine(app, request)) return;
  throw forbidden("This service has no account yet: open the set-up link from the log of its start.");
}

/** Removes the set-up link, which is not needed once the first account exists. */
export function forgetSetupLink(app: App): void {
  app.background("forget the set-up link", () => app.storage.setup.remove());
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "").replace(/^::ffff:(?=\d+\.)/i, "");
  const family = isIP(address);
  return family === 0 ? address === "localhost" : loopback.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Whether a request may create the first account without the set-up link. */
export const mayCreateFirst = (app: App, request: RequestInfo): boolean => isFromThisMachine(app, request);

/**
 * Whether a call can only have come from this machine: the service listens on loopback, is reached by a loopback
 * address and nothing forwards to it. Behind a proxy every stranger calls from 127.0.0.1, so any sign of one counts.
 */
function isFromThisMachine(app: App, request: RequestInfo): boolean {
  const { host, baseUrl, trustProxy } = app.config;
  if (trustProxy !== 0 || !isLoopback(host) || !isLoopback(new URL(baseUrl).hostname)) return false;
  const forwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"].some(
    (name) => request.header(name) !== "",
  );
  return !forwarded && isLoopback(request.address);
}
