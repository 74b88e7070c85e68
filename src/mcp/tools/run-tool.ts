/** Runs a tool for a caller: rate limit, validation, the handler, the result or the error. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Actor } from "../../access/actor.ts";
import { limitsOf } from "../../access/decide.ts";
import { memberMay } from "../../access/permissions.ts";
import { parseInput } from "../../http/input/parse-input.ts";
import type { Call, CallServices } from "../call.ts";
import { failureOf, presentToolFailure, signInNeeded } from "../failures.ts";
import { inputSchema, outputSchema, type ObjectSchema } from "./tool-schemas.ts";
import type { Tool } from "./tool.ts";

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

export function describeTool(tool: Tool): ListedTool {
  const { name, title, description, effect } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(tool.input),
    outputSchema: outputSchema(tool.output),
    annotations: {
      title,
      readOnlyHint: effect === "read",
      destructiveHint: effect === "change",
      idempotentHint: effect === "read" || tool.isRepeatable === true,
      openWorldHint: false,
    },
  };
}

/** Whether the caller could use the tool in any of their organizations. The services decide about each call. */
export function isOffered(tool: Tool, actor: Actor): boolean {
  const { needs } = tool;
  if (needs === undefined || needs === "sign-in") return true;
  if (actor.kind === "anonymous") return false;
  const limits = limitsOf(actor);
  return actor.memberships.some((one) => needs.some((permission) => memberMay(one, limits, permission)));
}

export async function runTool(
  tool: Tool,
  given: unknown,
  call: Call,
  services: CallServices,
): Promise<CallToolResult> {
  try {
    call.signal.throwIfAborted();
    if (tool.needs && call.actor.kind === "anonymous") throw signInNeeded(tool.name);
    if (tool.budget) await call.spend(tool.budget);
    const input = parseInput(tool.input, given, `the arguments of ${tool.name}`);
    const { data, text, links = [] } = await tool.handle({ actor: call.actor, input });
    return {
      content: [{ type: "text", text }, ...links],
      structuredContent: data as Record<string, unknown>,
    };
  } catch (thrown) {
    return presentToolFailure(failureOf(thrown, call, services), call.requestId);
  }
}
