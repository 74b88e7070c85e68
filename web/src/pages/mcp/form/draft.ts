/** The form of an MCP server as it is being edited, and the configuration that it stands for. */
import { checkMcpServer, type McpIssue } from "../../../../../contract/checks/mcp-checks.ts";
import {
  placeholdersIn,
  type McpMemberValue,
  type McpServerConfig,
  type McpValue,
} from "../../../../../contract/mcp-servers.ts";
import type { McpTransport, McpValueFormat } from "../../../../../contract/vocabulary.ts";
import type { McpServer } from "../../../api/mcp-servers.ts";

/** A value with the fields of both kinds, so that a change of the kind loses nothing. */
export interface ValueDraft {
  /** Identifies the row while others are added and removed. */
  id: number;
  kind: "fixed" | "member";
  name: string;
  value: string;
  label: string;
  description: string;
  secret: boolean;
  required: boolean;
  format: McpValueFormat;
}

export const valueLists = ["env", "headers", "variables"] as const;
export type ValueList = (typeof valueLists)[number];

export interface Draft extends Record<ValueList, ValueDraft[]> {
  name: string;
  /** Empty: made from the name. */
  slug: string;
  description: string;
  folderId: string | null;
  transport: McpTransport;
  command: string;
  /** One argument in each line. Empty lines are none, except in a text that stays as it was saved. */
  args: string;
  savedArgs: readonly string[];
  url: string;
  allowHttp: boolean;
}

let lastId = 0;

export function newValue(fields: Partial<ValueDraft> = {}): ValueDraft {
  return {
    kind: "member",
    name: "",
    value: "",
    label: "",
    description: "",
    secret: true,
    required: true,
    format: "string",
    ...fields,
    id: ++lastId,
  };
}

const valueDraft = (value: McpServer["env"][number]): ValueDraft =>
  value.kind === "fixed"
    ? newValue({ kind: "fixed", name: value.name, value: value.value })
    : newValue({ ...value, description: value.description ?? "", format: value.format ?? "string" });

export function draftOf(server: McpServer | undefined): Draft {
  return {
    name: server?.name ?? "",
    slug: server?.slug ?? "",
    description: server?.description ?? "",
    folderId: server?.folderId ?? null,
    transport: server?.transport ?? "http",
    command: server?.command ?? "",
    args: textOfArgs(server?.args ?? []),
    savedArgs: server?.args ?? [],
    url: server?.url ?? "",
    allowHttp: server?.allowHttp ?? false,
    env: server?.env.map(valueDraft) ?? [],
    headers: server?.headers.map(valueDraft) ?? [],
    variables: server?.variables.map(valueDraft) ?? [],
  };
}

interface Config {
  transport: McpTransport;
  command?: string;
  url?: string;
  allowHttp?: boolean;
  args: string[];
  env: McpValue[];
  headers: McpValue[];
  variables: McpMemberValue[];
}

/** Fields of the other transport stay in the form, but are no part of the configuration. */
export function configOf(draft: Draft): Config {
  const isLocal = draft.transport === "stdio";
  const isPlain = !isLocal && draft.allowHttp && /^http:/i.test(draft.url.trim());
  return {
    transport: draft.transport,
    ...(isLocal ? { command: draft.command.trim() } : { url: draft.url.trim() }),
    allowHttp: isPlain ? true : undefined,
    args: isLocal ? argsOf(draft) : [],
    env: isLocal ? draft.env.map(valueOf) : [],
    headers: isLocal ? [] : draft.headers.map(valueOf),
    variables: draft.variables.map(memberValueOf),
  };
}

const textOfArgs = (args: readonly string[]) => args.join("\n");

function argsOf({ args, savedArgs }: Draft): string[] {
  if (args === textOfArgs(savedArgs)) return [...savedArgs];
  return args.split("\n").filter((arg) => arg !== "");
}

function valueOf(draft: ValueDraft): McpValue {
  if (draft.kind === "member") return memberValueOf(draft);
  return { name: draft.name.trim(), kind: "fixed", value: draft.value };
}

function memberValueOf({ name, label, description, secret, required, format }: ValueDraft): McpMemberValue {
  return {
    name: name.trim(),
    kind: "member",
    label: label.trim() || name.trim(),
    description: description.trim() === "" ? undefined : description.trim(),
    secret,
    required,
    format: format === "string" ? undefined : format,
  };
}

/** Names in placeholders for which the form has no value yet. */
export function missingNames({ args, url, env, headers, variables }: McpServerConfig): string[] {
  const texts = [
    ...args,
    url ?? "",
    ...headers.map((header) => (header.kind === "fixed" ? header.value : "")),
  ];
  const known = new Set([...env, ...variables].map(({ name }) => name));
  return [...new Set(texts.flatMap(placeholdersIn))].filter((name) => !known.has(name));
}

/** The problem of each field, by its path. Empty fields have one only if `all`. */
export function problemsOf(config: McpServerConfig, all: boolean): Record<string, string> {
  const problems: Record<string, string> = {};
  const issues = [...checkMcpServer(config), ...emptyNames(config)];
  for (const { path, message } of issues.filter((issue) => all || textAt(config, issue.path) !== ""))
    problems[path] ??= message;
  return problems;
}

function emptyNames(config: McpServerConfig): McpIssue[] {
  return valueLists.flatMap((list) =>
    config[list].flatMap(({ name }, at) =>
      name === "" ? [{ path: `${list}.${at}.name`, message: "Enter a name" }] : [],
    ),
  );
}

function textAt(config: McpServerConfig, path: string): string {
  let found: unknown = config;
  for (const part of path.split(".")) found = (found as Record<string, unknown> | undefined)?.[part];
  return typeof found === "string" ? found : "";
}
