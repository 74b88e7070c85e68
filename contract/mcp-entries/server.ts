/** An MCP server of the registry as far as it decides what a tool's configuration file holds. */
import type { McpTransport } from "../vocabulary.ts";

/** A variable or header: with its value, or with the label under which each member supplies one. */
export type McpSpec =
  | { name: string; kind: "fixed"; value: string }
  | {
      name: string;
      kind: "member";
      label: string;
      description?: string | undefined;
      secret: boolean;
      required: boolean;
      format?: string | undefined;
    };

export interface McpServer {
  slug: string;
  tenantSlug: string;
  transport: McpTransport;
  command?: string | null | undefined;
  args: readonly string[];
  url?: string | null | undefined;
  env: readonly McpSpec[];
  headers: readonly McpSpec[];
  /** Values that only fill placeholders. */
  variables: readonly McpSpec[];
}

/** A value that a member supplies: a text, or the name of an environment variable that the tool reads. */
export type SuppliedValue = { text: string } | { variable: string };

/** By name. An optional one may be absent. */
export type SuppliedValues = Readonly<Record<string, SuppliedValue>>;

export type MemberSpec = Extract<McpSpec, { kind: "member" }>;

/** The values that members supply, each name once. */
export function memberSpecs({ env, headers, variables }: McpServer): MemberSpec[] {
  const specs = [...env, ...headers, ...variables].filter((spec) => spec.kind === "member");
  return [...new Map(specs.map((spec) => [spec.name, spec])).values()];
}

const reference = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** `${env:NAME}` is a reference to a variable; anything else is a text. */
export function parseSuppliedValue(text: string): SuppliedValue {
  const variable = reference.exec(text)?.[1];
  return variable === undefined ? { text } : { variable };
}
