/**
 * Calls of tools in their plainest form, by clients of the protocol version with `initialize`: a name,
 * arguments and no wish for progress. They are answered here, since the SDK's server, which is built for each call,
 * takes 15 % of the CPU time of search_skills and 20 % of that of whoami. Whatever else a request has is left to the
 * SDK, which also refuses what is not valid.
 */
import {
  isJsonContentType,
  ProtocolError,
  SUPPORTED_PROTOCOL_VERSIONS,
  type CallToolResult,
} from "@modelcontextprotocol/server";
import { Reply, type RequestInfo } from "../../http/route.ts";
import { acceptOf, bothForms } from "./accept.ts";
import { jsonOf } from "./result-json.ts";

export interface PlainCall {
  id: string | number;
  name: string;
  given: Record<string, unknown> | undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasOnly = (value: object, keys: readonly string[]) =>
  Object.keys(value).every((key) => keys.includes(key));

/** The call in a message; undefined if it is of another kind or form. */
export function readPlainCall(info: Pick<RequestInfo, "header">, message: unknown): PlainCall | undefined {
  if (!isObject(message) || message["method"] !== "tools/call" || message["jsonrpc"] !== "2.0")
    return undefined;
  const { id, params } = message;
  if (!hasOnly(message, ["jsonrpc", "id", "method", "params"]) || !isObject(params)) return undefined;
  const { name, arguments: given } = params;
  if (!hasOnly(params, ["name", "arguments"]) || typeof name !== "string") return undefined;
  if (given !== undefined && !isObject(given)) return undefined;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  return areOfGeneration(info) ? { id: id as string | number, name, given } : undefined;
}

/** Whether the headers are those of a client with `initialize`. */
function areOfGeneration(info: Pick<RequestInfo, "header">): boolean {
  const { header } = info;
  const version = header("mcp-protocol-version");
  return (
    (version === "" || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) &&
    header("mcp-method") === "" &&
    header("mcp-name") === "" &&
    acceptOf(info) === bothForms &&
    isJsonContentType(header("content-type"))
  );
}

/** The response to a call, or to an error of the protocol that it has thrown. */
export async function answerPlainCall({ id }: PlainCall, running: Promise<CallToolResult>): Promise<Reply> {
  try {
    const result = await running;
    return replyWith(`{"result":${jsonOf(result)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`);
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    const { code, message, data } = thrown;
    const error = { code, message, data };
    return replyWith(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }
}

const replyWith = (body: string) => new Reply(body, { type: "application/json" });
