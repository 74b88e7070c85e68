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
import type { Actor } from "../../access/actor.ts";

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
  /** The caller as they are now. Throws if the credential is no longer valid. */
  authenticate(): Promise<Actor>;
  /** Aborted when the caller has left or cancels. */
  signal: AbortSignal;
  /** Set if the caller wants to know. */
  onProgress?: (progress: Progress) => void;
}

export const watchedLists = ["tools", "prompts", "resources"] as const;
export type WatchedList = (typeof watchedLists)[number];

/** A text for each list that changes with its entries. */
export type ListMarks = { [L in WatchedList]?: string };

/** An agent that waits for changes of lists. */
export interface ListWatch {
  actor: Actor;
  lists: readonly WatchedList[];
  /** The caller as they are now. Throws if the credential is no longer valid. */
  authenticate(): Promise<Actor>;
  /** The lists as they are, when they are known first and after each comparison. */
  compared(marks: ListMarks): void;
  /** The credential is no longer valid. */
  ended(): void;
}

export interface Forwarder {
  path: string;
  instructions: string;
  /**
   * Time that a stream of changes waits for the lists to be known, so that each later change is reported. If that takes
   * longer, they are reported as changed once they are known.
   */
  knownMs: number;
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
  /** Calls back until the returned function is called. */
  watchLists(watch: ListWatch): Promise<() => void>;
}
