/** Options in which the endpoints of the protocol differ. */
import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { SlotOptions } from "../../../contract/concurrency/slots.ts";
import type { Actor } from "../../access/actor.ts";
import type { Call } from "../call.ts";
import type { ListStreams } from "./list-streams.ts";
import type { PlainCall } from "./plain-calls.ts";

export interface EndpointOptions {
  path: string;
  /** Builds the server object of a request. */
  build(call: Call, messages: readonly unknown[]): McpServer;
  /** Answers a plain call of a tool. Throws an error of the protocol, which the caller gets. */
  callTool(plain: PlainCall, call: Call): Promise<CallToolResult>;
  /** The facts about the caller from which the result of a message follows, if nothing else decides it. */
  variantOf?(call: Call, message: unknown): string | undefined;
  /** Throws for callers who can't use the endpoint at all. */
  authorize?(actor: Actor): void | Promise<void>;
  /** Requests in progress, and requests that wait. */
  concurrency: SlotOptions;
  callMs: number;
  /**
   * Time for a caller to send the request, besides the call, and to read a response that is not a stream; then the
   * connection is closed.
   */
  transferMs: number;
  bodyBytes: number;
  /** Calls take long: they report progress, and can be cancelled by another request. */
  areLong?: boolean;
  /** Lists change while clients use them. */
  streams?: ListStreams;
}
