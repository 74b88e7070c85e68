/**
 * One call through a hosted connector: access, limits, the client, the record. The caller's own token is never part of
 * it. A call ends when its caller leaves, when it takes too long, and when the connector can no longer be used.
 */
import { ProtocolError, type Client, type Progress, type RequestOptions } from "@modelcontextprotocol/client";
import { limits } from "../../../contract/limits.ts";
import type {
  ConnectorCallKind,
  ConnectorCallOutcome,
  ConnectorProblem,
} from "../../../contract/vocabulary.ts";
import type { UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { notFound, ServiceError } from "../../errors.ts";
import { jsonOf } from "../../mcp/endpoint/result-json.ts";
import { RemoteError } from "../../mcp/forwarding/forwarder.ts";
import { connectUrl } from "../present.ts";
import { noteFailure, noteSuccess, recordCall } from "../status.ts";
import { problemOf } from "../upstream/failure.ts";
import { poolOf } from "../upstream/pool.ts";
import { ConnectorError, sentenceOf } from "../upstream/problems.ts";
import {
  findConnector,
  isUsable,
  judgeConnectors,
  type SeenConnector,
  type UsableConnector,
} from "../usable.ts";
import { authenticateAgain } from "./authenticate-again.ts";
import { takeCall } from "./budget.ts";
import { cleanText } from "./entries.ts";

/** A call of an agent. */
export interface Caller {
  user: UserActor;
  /** The user as they are now. Throws if the credential is no longer valid. */
  authenticate(): Promise<UserActor>;
  /** Aborted when the caller has left or cancels. */
  signal: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface Forwarded {
  connector: string;
  kind: ConnectorCallKind;
  /** Name of the tool or prompt for the record. */
  name?: string;
}

type Work<T> = (client: Client, options: RequestOptions, usable: UsableConnector) => Promise<T>;

/** Time between two checks that a running call may go on. */
const checkMs = 2000;
const messageLength = 500;

/**
 * Runs work with the client of the caller's connector. Throws `not_found`, `refused` if the connector needs its user or
 * is off, `rate_limited`, `unavailable` if the server can't be used, and `RemoteError` for an error that the server has
 * answered with.
 */
export async function forward<T extends object>(
  app: App,
  caller: Caller,
  forwarded: Forwarded,
  work: Work<T>,
): Promise<T> {
  const usable = await loadUsable(app, caller.user, forwarded.connector);
  const release = takeCall(app, usable.connector);
  if (!release)
    throw new ServiceError(
      "rate_limited",
      `Too many calls at once: at most ${limits.connectorCallConcurrency} through a connector, and ` +
        `${limits.connectorCallsPerUser} of yours. Wait until one has ended.`,
      { retryAfterSeconds: 1 },
    );
  const started = performance.now();
  const record = (outcome: ConnectorCallOutcome, bytes: number) =>
    recordCall(app, usable.connector, { ...forwarded, outcome, bytes, ms: performance.now() - started });
  const running = superviseCall(app, caller, usable);
  try {
    const options = optionsOf(caller, running.signal);
    const result = await poolOf(app).use(usable, (client) => work(client, options, usable));
    noteSuccess(app, usable.connector);
    record(isToolError(result) ? "tool_error" : "ok", Buffer.byteLength(jsonOf(result)));
    return result;
  } catch (error) {
    if (error instanceof ProtocolError && !running.signal.aborted) {
      record("tool_error", 0);
      throw new RemoteError(error.code, cleanText(error.message, messageLength));
    }
    const problem = problemOf(running.signal.aborted ? running.signal.reason : error);
    const wasCancelled = caller.signal.aborted;
    record(wasCancelled ? "cancelled" : problem === "timed_out" ? "timed_out" : "failed", 0);
    if (!running.signal.aborted) noteFailure(app, usable.connector, problem);
    throw failureOf(app, usable, problem);
  } finally {
    running.end();
    release();
  }
}

const isToolError = (result: object) => "isError" in result && result.isError === true;

function optionsOf({ onProgress }: Caller, signal: AbortSignal): RequestOptions {
  return {
    signal,
    timeout: limits.connectorCallMs,
    maxTotalTimeout: limits.connectorCallMs,
    onprogress: onProgress,
  };
}

async function loadUsable(app: App, user: UserActor, slug: string): Promise<UsableConnector> {
  const seen = await findConnector(app, user, slug);
  if (!seen) throw notFound("connector", slug);
  if (isUsable(seen)) return seen;
  throw needsUser(app, seen);
}

/** The refusal of a connector that can't be used, with the page on which its user can change that. */
function needsUser(app: App, { connector, status, problem }: SeenConnector): ServiceError {
  const url = connectUrl(app, connector.publicId);
  const cause = problem ? sentenceOf(problem) : "It has not been connected yet.";
  const remedy = status === "disabled" ? "" : ` The user has to open ${url}.`;
  return new ServiceError("refused", `The connector "${connector.slug}" can't be used. ${cause}${remedy}`, {
    kind: "connector",
    connector: connector.slug,
    connectionStatus: status,
    connectUrl: status === "disabled" ? undefined : url,
  });
}

function failureOf(app: App, usable: UsableConnector, problem: ConnectorProblem): ServiceError {
  const { connector } = usable;
  if (problem === "unauthorized" || problem === "values_missing" || problem === "address_changed")
    return needsUser(app, { ...usable, status: "needs_auth", problem });
  if (problem === "organization_off" || problem === "no_access")
    return needsUser(app, { ...usable, status: "disabled", problem });
  return new ServiceError("unavailable", `The connector "${connector.slug}" failed. ${sentenceOf(problem)}`, {
    kind: "connector",
    connector: connector.slug,
    problem,
  });
}

/**
 * Ends a call when its caller leaves or may no longer make it: the credential, the account, the membership, the
 * connector, its server or its organization has ended, or the organization has turned connectors off.
 */
function superviseCall(
  app: App,
  { authenticate, signal }: Caller,
  { connector }: UsableConnector,
): { signal: AbortSignal; end: () => void } {
  const ended = new AbortController();
  const check = async () => {
    const user = await authenticateAgain(app, authenticate);
    if (user === "unknown") return;
    if (user === "ended") return ended.abort(new ConnectorError("no_access"));
    const current = await app.storage.connectors.find(connector._id);
    const [seen] = current ? await judgeConnectors(app, user, [current]) : [];
    if (!seen?.server) ended.abort(new ConnectorError("no_access"));
    else if (seen.status === "disabled") ended.abort(new ConnectorError(seen.problem ?? "organization_off"));
  };
  const timer = setInterval(() => void check().catch(() => undefined), checkMs);
  // A reason of its own: that of the caller's connection must not look as if the server's were closed.
  const leave = () => ended.abort(new Error("the caller has left"));
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  return {
    signal: ended.signal,
    end() {
      clearInterval(timer);
      signal.removeEventListener("abort", leave);
    },
  };
}
