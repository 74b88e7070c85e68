/** Device authorization, RFC 8628, with the bodies of the standard. */
import { hostname } from "node:os";
import type { DeviceCodePayload, DeviceTokenPayload } from "../../../contract/payloads/accounts/devices.ts";
import { CliError } from "../../errors.ts";
import type { Client } from "../client.ts";
import { failureOf } from "../failure.ts";

const clientId = "svc-cli";
const grantType = "urn:ietf:params:oauth:grant-type:device_code";
/** Section 3.5: the addition to the pause after `slow_down`. */
const slowDownSeconds = 5;

/** `machine`: the same hash for each login on this machine with this profile; a login replaces the earlier one. */
export async function requestDeviceCode(client: Client, machine: string): Promise<DeviceCodePayload> {
  const { status, body, retryAfter } = await client.form("/api/auth/device/code", {
    client_id: clientId,
    // Shown on the approval page; the service may ignore it.
    hostname: hostname(),
    machine,
  });
  const code = body as Partial<DeviceCodePayload> | undefined;
  if (status !== 200) throw failureOf(status, body, retryAfter);
  if (
    typeof code?.device_code !== "string" ||
    typeof code.user_code !== "string" ||
    typeof code.verification_uri !== "string" ||
    typeof code.expires_in !== "number"
  )
    throw new CliError("E_NETWORK", `${client.options.baseUrl} does not respond like a skill registry.`);
  return {
    device_code: code.device_code,
    user_code: code.user_code,
    verification_uri: code.verification_uri,
    verification_uri_complete: code.verification_uri_complete ?? code.verification_uri,
    expires_in: code.expires_in,
    interval: code.interval ?? 5,
  };
}

/**
 * Waits for the decision in the browser and returns the token. Throws `E_AUTH_DENIED` or `E_AUTH_EXPIRED`. A
 * connection that breaks is retried with the next poll.
 */
export async function awaitDeviceToken(
  client: Client,
  code: DeviceCodePayload,
  clock: { now: () => Date; sleep: (ms: number) => Promise<void> },
): Promise<string> {
  const deadline = clock.now().getTime() + code.expires_in * 1000;
  let intervalSeconds = Math.max(1, code.interval);
  while (clock.now().getTime() < deadline) {
    await clock.sleep(intervalSeconds * 1000);
    let answer: Awaited<ReturnType<Client["form"]>>;
    try {
      answer = await client.form("/api/auth/device/token", {
        grant_type: grantType,
        device_code: code.device_code,
        client_id: clientId,
      });
    } catch (error) {
      if (error instanceof CliError && error.code === "E_NETWORK") continue;
      throw error;
    }
    const { status, body } = answer;
    if (status === 200 && typeof (body as Partial<DeviceTokenPayload> | undefined)?.access_token === "string")
      return (body as DeviceTokenPayload).access_token;
    const error = (body as { error?: unknown } | undefined)?.error;
    if (error === "authorization_pending" || status === 429 || status === 503) continue;
    else if (error === "slow_down") intervalSeconds += slowDownSeconds;
    else if (error === "access_denied")
      throw new CliError("E_AUTH_DENIED", "The login was denied in the browser.");
    else if (error === "expired_token" || error === "invalid_grant")
      throw new CliError("E_AUTH_EXPIRED", "The code has expired or was used already. Run svc login again.");
    else throw loginFailure(answer);
  }
  throw new CliError("E_AUTH_EXPIRED", "The code has expired. Run svc login again.");
}

/** The error for a response without a meaning of its own here, such as `limit_reached`: its description explains it. */
function loginFailure({ status, body, retryAfter }: Awaited<ReturnType<Client["form"]>>): CliError {
  const failure = failureOf(status, body, retryAfter);
  const description = (body as { error_description?: unknown } | undefined)?.error_description;
  if (typeof description !== "string" || description === "") return failure;
  return new CliError(failure.code, `The login failed. ${description}`, {
    ...failure.details,
    serverMessage: description,
  });
}
