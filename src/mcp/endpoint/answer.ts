/** Answers a request by the SDK, in the protocol version that its client speaks. */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import {
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  isLegacyRequest,
  type CallToolResult,
  type McpServer,
} from "@modelcontextprotocol/server";
import { withinTime } from "../../../contract/concurrency/within-time.ts";
import { ServiceError } from "../../errors.ts";
import { Reply, type RequestInfo } from "../../http/route.ts";
import type { Call, CallServices } from "../call.ts";
import { withChallenge } from "../failures.ts";
import { acceptOf } from "./accept.ts";
import { answerPlainCall, readPlainCall, type PlainCall } from "./plain-calls.ts";

interface AnswerOptions {
  path: string;
  build(call: Call, messages: readonly unknown[]): McpServer;
  callTool(plain: PlainCall, call: Call): Promise<CallToolResult>;
  callMs: number;
  areLong?: boolean;
}

/** `end`: aborted when the response was sent, or the caller has left. */
export type Answers = (info: RequestInfo, call: Call, body: unknown, end: AbortSignal) => Promise<Reply>;

export function openAnswers(
  { path, build, callTool, callMs, areLong = false }: AnswerOptions,
  services: CallServices,
): Answers {
  const servers = new WeakMap<Request, () => McpServer>();
  const serverOf = (request: Request | undefined) => {
    const found = request && servers.get(request);
    if (!found) throw new Error("a request of the MCP server has no call");
    return found();
  };
  const onerror = (error: Error) => services.log.debug({ error }, "a message of an MCP client was refused");
  const modern = createMcpHandler(({ requestInfo }) => serverOf(requestInfo), { legacy: "reject", onerror });

  /** A call that takes too long continues, but its caller gets a response. */
  const late = () => {
    const seconds = callMs / 1000;
    throw new ServiceError("unavailable", `The call took longer than ${seconds} s: try again later.`);
  };
  const challengedIf = ({ isChallenged }: Call, reply: Reply) =>
    isChallenged ? withChallenge(reply, { baseUrl: services.baseUrl(), path, hasCredential: false }) : reply;

  return async (info, call, body, end) => {
    const plain = readPlainCall(info, body);
    if (plain) {
      return challengedIf(
        call,
        await withinTime(answerPlainCall(plain, callTool(plain, call)), callMs, late),
      );
    }
    const messages: unknown[] = Array.isArray(body) ? body : [body];
    const request = toRequest(info, services.baseUrl() + path, end);
    servers.set(request, () => build(call, messages));
    const isLegacy = await isLegacyRequest(request, body);
    const isStream = areLong && call.takesStream && messages.some(wantsProgress);
    const response = await withinTime(
      isLegacy
        ? serveLegacy(serverOf(request), request, { parsedBody: body, isStream, end })
        : modern.fetch(request, { parsedBody: body }),
      callMs,
      late,
    );
    const session = areLong && isLegacy ? sessionFor(messages.find(isInitialize)) : undefined;
    return challengedIf(call, await toReply(response, session));
  };
}

export function methodOf(message: unknown): string {
  if (typeof message !== "object" || message === null || !("method" in message)) return "";
  return typeof message.method === "string" ? message.method : "";
}

/** End of the session's id of a client that opens pages for its user (elicitation by URL), since none is stored. */
export const opensPagesMark = "-url";

function sessionFor(initialize: unknown): string | undefined {
  if (initialize === undefined) return undefined;
  const { params } = initialize as { params?: { capabilities?: { elicitation?: { url?: unknown } } } };
  return randomUUID() + (params?.capabilities?.elicitation?.url ? opensPagesMark : "");
}

const isInitialize = (message: unknown) => methodOf(message) === "initialize";

const wantsProgress = (message: unknown) =>
  (message as { params?: { _meta?: { progressToken?: unknown } } } | null)?.params?._meta?.progressToken !==
  undefined;

/** The headers that the protocol defines. The SDK gets no credentials. */
const protocolHeaders = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

export const headersOf = (info: RequestInfo) =>
  protocolHeaders.map((name) => (name === "accept" ? acceptOf(info) : info.header(name)));

export function toRequest(info: RequestInfo, address: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [at, value] of headersOf(info).entries())
    if (value !== "") headers.set(protocolHeaders[at]!, value);
  return new Request(address, { method: "POST", headers, signal });
}

interface LegacyOptions {
  parsedBody: unknown;
  isStream: boolean;
  /** Aborted when the response was sent. */
  end: AbortSignal;
}

async function serveLegacy(
  server: McpServer,
  request: Request,
  { parsedBody, isStream, end }: LegacyOptions,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !isStream });
  await server.connect(transport);
  // Without a stream, nothing is open once the response is there, and closing would only make errors for no one.
  if (isStream) end.addEventListener("abort", () => void server.close());
  return transport.handleRequest(request, { parsedBody });
}

export async function toReply(response: Response, session?: string): Promise<Reply> {
  const { status } = response;
  const type = response.headers.get("content-type") ?? "application/json";
  const headers: Record<string, string> = session === undefined ? {} : { "mcp-session-id": session };
  if (type.startsWith("text/event-stream") && response.body) {
    const stream = Readable.fromWeb(response.body);
    return new Reply(stream, {
      status,
      type,
      headers: { ...headers, "cache-control": "no-store", "x-accel-buffering": "no" },
    });
  }
  const body = await response.text();
  return body === "" ? new Reply(undefined, { status, headers }) : new Reply(body, { status, type, headers });
}
