/**
 * A tool as data, like a route: its input, its output and its handler. The list of tools, the validation and the checks
 * of the tests are made from it. A feature's `tools.ts` is a list of tools that call the services of its routes.
 */
import type { z } from "zod";
import type { Permission } from "../../../contract/vocabulary.ts";
import type { Actor } from "../../access/actor.ts";
import type { RateBudget } from "../../http/route.ts";

/** A part of a result besides its text. */
export interface ResourceLink {
  type: "resource_link";
  uri: string;
  name: string;
  mimeType: string;
  size: number;
}

/** `data` matches the output schema; `text` is the same for a reader, short. */
export interface ToolResult<O> {
  data: O;
  text: string;
  links?: ResourceLink[];
}

export interface ToolInput<I> {
  actor: Actor;
  input: I;
}

interface Declaration<I extends z.ZodType, O extends z.ZodType> {
  /** In snake_case. */
  name: string;
  title: string;
  description: string;
  input: I;
  output: O;
  /** `change`: may overwrite or hide what others see; `add`: only adds. */
  effect: "read" | "add" | "change";
  /** A repeated call has no further effect. Reads are always repeatable. */
  isRepeatable?: true;
  /**
   * Permissions of which the caller has one in an organization, or else the tool is not listed. `sign-in`: listed for
   * everyone. Without it, anonymous callers use the tool too.
   */
  needs?: readonly Permission[] | "sign-in";
  budget?: RateBudget;
  handle(call: ToolInput<z.output<I>>): Promise<ToolResult<z.input<O>>>;
}

/** A tool whose types are sealed in: `handle` takes what the schema made of the arguments. */
export interface Tool extends Omit<Declaration<z.ZodType, z.ZodType>, "handle"> {
  handle(call: ToolInput<unknown>): Promise<ToolResult<unknown>>;
}

export function tool<I extends z.ZodType, O extends z.ZodType>(declaration: Declaration<I, O>): Tool {
  return declaration;
}
