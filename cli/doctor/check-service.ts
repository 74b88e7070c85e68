/** Checks of the service: reachability, version and clock. */
import semver from "semver";
import { parseBody } from "../api/call.ts";
import { send } from "../api/http.ts";
import type { Context } from "../context.ts";
import { clientFor } from "../state/session.ts";
import { plainLine } from "../terminal/table.ts";
import { buildText, commit, version } from "../version.ts";
import { type Check, failed, ok, warning } from "./check.ts";

/** Time limit of each request. */
export const requestTimeoutMs = 10_000;
/** The Date header has whole seconds, and a response takes time. */
const clockToleranceMs = 60_000;

const own = buildText(version, commit);
const addressRemedy = "Check that the service runs, and its address: svc login <url>, or SVC_API_URL.";

/** `isUp`: the service responds as a registry. Throws if it can't be reached. */
export async function checkService(
  context: Context,
  apiUrl: string,
): Promise<{ checks: Check[]; isUp: boolean }> {
  const { options } = clientFor(context, apiUrl, undefined);
  const sentAt = context.now().getTime();
  const response = await send(options, { method: "GET", url: "/api/client", timeoutMs: requestTimeoutMs });
  const receivedAt = context.now().getTime();
  const body = parseBody(await response.text()) as
    | { success?: unknown; data?: { version?: unknown; commit?: unknown } }
    | undefined;
  const served = body?.success === true ? body.data?.version : undefined;
  const servedCommit = typeof body?.data?.commit === "string" ? body.data.commit : undefined;
  if (!response.ok || typeof served !== "string") {
    const problem = `${apiUrl} does not respond like a skill registry (status ${response.status}).`;
    return unreachable(problem);
  }
  return {
    checks: [
      ok("service", `${apiUrl} responds; it runs version ${plainLine(buildText(served, servedCommit))}.`),
      checkVersion(served),
      checkClock(response.header("date"), (sentAt + receivedAt) / 2),
    ],
    isUp: true,
  };
}

/** The checks if there is no service. */
export function unreachable(problem: string): { checks: Check[]; isUp: boolean } {
  const client = ok("client", `This is svc ${own}; the version of the service is unknown.`);
  return { checks: [failed("service", problem, addressRemedy), client], isUp: false };
}

function checkVersion(served: string): Check {
  if (semver.valid(served) !== null && semver.lt(version, served))
    return warning("client", `This is svc ${own}, and the service has ${served}.`, "Run svc upgrade.");
  return ok("client", `This is svc ${own}.`);
}

/** `local`: the time of this machine in the middle of the request, in milliseconds. */
function checkClock(date: string | undefined, local: number): Check {
  const name = "clock";
  const remote = date === undefined ? NaN : Date.parse(date);
  if (Number.isNaN(remote)) return ok(name, "The service does not report its time.");
  const aheadMs = local - remote;
  if (Math.abs(aheadMs) <= clockToleranceMs) return ok(name, "The clock agrees with that of the service.");
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const problem =
    `The clock of this machine is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} that ` +
    "of the service.";
  return warning(name, problem, "Synchronize the clock of this machine, by NTP for example.");
}
