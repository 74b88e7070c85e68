/** Runs a tool for a caller: rate limit, validation, the handler, the result or the error. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Actor } from "../access/actor.ts";
import { limitsOf } from "../access/decide.ts";
import { memberMay } from "../access/permissions.ts";
import { parseInput } from "../http/parse-input.ts";
import type { Call, CallServices } from "./call.ts";
import { failureOf, presentToolFailure, signInNeeded } from "./failures.ts";
import type { Tool } from "./tool.ts";

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [key: string]: unknown };
  outputSchema: { type: "object"; [key: string]: unknown };
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
    inputSchema: objectSchema(tool.input, "input"),
    outputSchema: objectSchema(tool.output, "output"),
    annotations: {
      title,
      readOnlyHint: effect === "read",
      destructiveHint: effect === "change",
      idempotentHint: effect === "read" || tool.isRepeatable === true,
      openWorldHint: false,
    },
  };
}

/** Schemas in the list cost agents tokens, and say nothing that is obvious or that clients need not check. */
function objectSchema(schema: z.ZodType, io: "input" | "output"): ListedTool["inputSchema"] {
  const override = io === "input" ? shorten : shortenOutput;
  const made = z.toJSONSchema(schema, { io, reused: "inline", override });
  const { $schema: _dialect, ...rest } = made;
  return { ...rest, type: "object" };
}

interface Overridden {
  jsonSchema: z.core.JSONSchema.BaseSchema;
}

/**
 * Removes the bounds that every integer has, and names of shared schemas, which belong to the description of the API.
 */
function shorten({ jsonSchema }: Overridden): void {
  delete jsonSchema.id;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Clients may keep a list for longer than a version of the service runs: results can have more fields then. */
function shortenOutput(context: Overridden): void {
  shorten(context);
  const { jsonSchema } = context;
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  delete jsonSchema.additionalProperties;
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
