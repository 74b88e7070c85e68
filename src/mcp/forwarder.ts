/** An endpoint whose entries and results come from elsewhere, such as the remote servers of a user. */
import type {
  CallToolResult,
  GetPromptResult,
  Progress,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Tool,
} from "@modelcontextprotocol/server";
import type { Actor } from "../access/actor.ts";

/** An error that the remote server has answered with: a code of JSON-RPC, and a text of that server. */
export class RemoteError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "RemoteError";
    this.code = code;
  }
}

export interface ForwardedCall {
  actor: Actor;
  /** Aborted when the caller has left or cancels. */
  signal: AbortSignal;
  /** Set if the caller wants to know. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Forwarder {
  path: string;
  instructions: string;
  /** Throws for callers who can't use the endpoint at all. */
  authorize(actor: Actor): void;
  listTools(actor: Actor): Promise<Tool[]>;
  callTool(
    call: ForwardedCall,
    name: string,
    given: Record<string, unknown> | undefined,
  ): Promise<CallToolResult>;
  listPrompts(actor: Actor): Promise<Prompt[]>;
  getPrompt(
    call: ForwardedCall,
    name: string,
    given: Record<string, string> | undefined,
  ): Promise<GetPromptResult>;
  listResources(actor: Actor): Promise<Resource[]>;
  listTemplates(actor: Actor): Promise<ResourceTemplateType[]>;
  readResource(call: ForwardedCall, uri: string): Promise<ReadResourceResult>;
}
