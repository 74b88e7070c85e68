/** The rules for configurations of MCP servers, which the service applies and the editor shows while typing. Pure. */
import {
  placeholder,
  placeholdersIn,
  plainHostOf,
  type McpServerConfig,
  type McpValue,
} from "../mcp-servers.ts";
import { likelySecret, namesSecret } from "./secret-values.ts";
import { oneLineText } from "./unsafe-characters.ts";

export interface McpIssue {
  /** Path of the field, such as `env.0.value`. */
  path: string;
  message: string;
}

const variableName = /^[A-Za-z_]\w*$/;
const placeholderName = /^[A-Za-z_][\w.-]*$/;
const headerName = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Headers that belong to the connection or to the protocol. */
const ownedHeaders =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept|content-(?:length|type|encoding)|mcp-.+|proxy-.+)$/i;
/** References that tools replace when they read their configuration, which could disclose a member's variables. */
const expansion = /\$\{|\{(?:env|file|input):/i;

/** The problems of a configuration, each with its remedy and without the text of a secret. */
export function checkMcpServer(config: McpServerConfig): McpIssue[] {
  return [
    ...checkTransport(config),
    ...checkNames(config),
    ...checkPlaceholders(config),
    ...checkTexts(config),
    ...checkSecrets(config),
  ];
}

function checkTransport(config: McpServerConfig): McpIssue[] {
  const { transport, command, args, env, url, headers, allowHttp } = config;
  const issues: McpIssue[] = [];
  const refuse = (path: string, message: string) => issues.push({ path, message });
  if (transport === "stdio") {
    if (!command) refuse("command", "A stdio server needs the command that starts it");
    if (url !== undefined) refuse("url", "A stdio server has no URL: remove it, or choose http");
    if (headers.length > 0) refuse("headers", "A stdio server has no headers: use environment variables");
    if (allowHttp) refuse("allowHttp", "Only a remote server has a URL");
    return issues;
  }
  if (command !== undefined) refuse("command", "A remote server has no command: remove it, or choose stdio");
  if (args.length > 0) refuse("args", "A remote server has no arguments: remove them, or choose stdio");
  if (env.length > 0) refuse("env", "A remote server has no environment: use headers, or choose stdio");
  const problem = url ? urlProblem(url, allowHttp ?? false) : "A remote server needs a URL";
  if (problem) refuse("url", problem);
  return issues;
}

/** The problem of a server's URL, whose placeholders may stand for any text. */
function urlProblem(url: string, allowHttp: boolean): string | undefined {
  const parsed = parseUrl(url.replace(placeholder, "x"));
  if (!parsed || !/^https?:\/\/[^/\\]/i.test(url)) return "The URL must begin with https://, and a host";
  if (parsed.protocol === "http:" && !allowHttp)
    return "The URL is not encrypted: use https, or set allowHttp for a server on the own network";
  if (parsed.username || parsed.password) return "The URL contains a user name or password: use a header";
  if (parsed.hash || url.includes("#")) return "The URL has a fragment, which no server receives: remove it";
  if (plainHostOf(url) === undefined)
    return "The host has ASCII letters, digits, dots and hyphens only: write an international name as xn--…";
  return undefined;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function checkNames({ env, headers, variables }: McpServerConfig): McpIssue[] {
  const seen = new Set<string>();
  const issues: McpIssue[] = [];
  const lists = { env, headers, variables };
  for (const [list, values] of Object.entries(lists) as [keyof typeof lists, readonly McpValue[]][])
    for (const [at, { name }] of values.entries()) {
      const path = `${list}.${at}.name`;
      const problem = nameProblem(list, name);
      const folded = name.toLowerCase();
      if (problem) issues.push({ path, message: problem });
      else if (seen.has(folded)) issues.push({ path, message: `"${name}" is the name of two values` });
      seen.add(folded);
    }
  return issues;
}

function nameProblem(list: "env" | "headers" | "variables", name: string): string | undefined {
  if (name === "__proto__") return 'The name "__proto__" is reserved';
  if (list === "headers") {
    if (!headerName.test(name)) return "A header's name has no spaces, colons or other separators";
    return ownedHeaders.test(name) ? `The tools set the header "${name}" themselves: remove it` : undefined;
  }
  if (list === "env" && !variableName.test(name))
    return "A variable's name has letters, digits and underscores, and does not begin with a digit";
  if (!placeholderName.test(name))
    return "A value's name has letters, digits, underscores, dots and hyphens, and begins with a letter";
  return undefined;
}

/** Each placeholder names a value of a member. One in an argument or URL always needs a value. */
function checkPlaceholders(config: McpServerConfig): McpIssue[] {
  const known = new Map([...config.variables, ...config.env].map((value) => [value.name, value]));
  const issues: McpIssue[] = [];
  const used = new Set<string>();
  const check = (path: string, text: string, mayBeAbsent: boolean) => {
    for (const name of placeholdersIn(text)) {
      used.add(name);
      const value = known.get(name);
      if (value?.kind !== "member")
        issues.push({
          path,
          message: `{${name}} names no value that members supply: add "${name}" to the variables`,
        });
      else if (!mayBeAbsent && !value.required)
        issues.push({ path, message: `{${name}} is used here, so "${name}" must be required` });
    }
  };
  for (const [at, arg] of config.args.entries()) check(`args.${at}`, arg, false);
  if (config.url !== undefined) check("url", config.url, false);
  for (const [at, header] of config.headers.entries())
    if (header.kind === "fixed") check(`headers.${at}.value`, header.value, true);
  for (const [at, { name }] of config.variables.entries())
    if (!used.has(name))
      issues.push({
        path: `variables.${at}.name`,
        message: `Nothing uses "${name}": write {${name}} into an argument, the URL or a header`,
      });
  return issues;
}

/** Texts that a configuration file can't hold, or that a tool would replace. */
function checkTexts(config: McpServerConfig): McpIssue[] {
  return [...textsOf(config), ...labelsOf(config)].flatMap(({ path, text }) => {
    if (!oneLineText.test(text))
      return [{ path, message: "The text must be one line without control characters" }];
    if (expansion.test(text))
      return [
        { path, message: "Tools replace ${…}, {env:…} and {file:…} on the member's machine: use {NAME}" },
      ];
    return [];
  });
}

function textsOf(config: McpServerConfig): { path: string; text: string }[] {
  const fixed = (list: "env" | "headers") =>
    config[list].flatMap((value, at) =>
      value.kind === "fixed" ? [{ path: `${list}.${at}.value`, text: value.value }] : [],
    );
  return [
    ...(config.command === undefined ? [] : [{ path: "command", text: config.command }]),
    ...config.args.map((text, at) => ({ path: `args.${at}`, text })),
    ...(config.url === undefined ? [] : [{ path: "url", text: config.url }]),
    ...fixed("env"),
    ...fixed("headers"),
  ];
}

/** The texts by which members recognize the values that they supply. */
function labelsOf({ env, headers, variables }: McpServerConfig): { path: string; text: string }[] {
  return Object.entries({ env, headers, variables }).flatMap(([list, values]) =>
    values.flatMap((value, at) =>
      value.kind === "fixed"
        ? []
        : (["label", "description"] as const).map((field) => ({
            path: `${list}.${at}.${field}`,
            text: value[field] ?? "",
          })),
    ),
  );
}

function checkSecrets(config: McpServerConfig): McpIssue[] {
  const issues: McpIssue[] = [];
  const refuse = (path: string, what: string, remedy: string) =>
    issues.push({ path, message: `This looks like ${what}, which everyone could read: ${remedy}` });
  for (const list of ["env", "headers"] as const)
    for (const [at, value] of config[list].entries()) {
      if (value.kind !== "fixed") continue;
      const text = value.value.replace(placeholder, "");
      const what = likelySecret(text) ?? (namesSecret(value.name, text) ? "a secret" : undefined);
      if (what) refuse(`${list}.${at}.value`, what, "let each member supply it");
    }
  const insert = "write {NAME}, and let each member supply the value";
  for (const { path, text } of textsOf({ ...config, env: [], headers: [] })) {
    const what = likelySecret(text.replace(placeholder, ""));
    if (what) refuse(path, what, insert);
  }
  for (const [name, value] of queryOf(config.url))
    if (namesSecret(name, value)) refuse("url", "a secret", insert);
  for (const [at, arg] of config.args.entries()) {
    const [name, value] = optionOf(arg, config.args[at + 1]);
    if (namesSecret(name, value)) refuse(`args.${at}`, "a secret", insert);
  }
  return issues;
}

function queryOf(url: string | undefined): [string, string][] {
  const parsed = url === undefined ? undefined : parseUrl(url.replace(placeholder, ""));
  return parsed ? [...parsed.searchParams] : [];
}

/** Name and value of an option: `--name=value`, `NAME=value`, or `--name` with the next argument. */
function optionOf(arg: string, next: string | undefined): [string, string] {
  const own = /^-{0,2}([\w.-]+)=(.*)$/s.exec(arg);
  if (own) return [own[1]!, own[2]!.replace(placeholder, "")];
  const isOption = /^--?[\w.-]+$/.test(arg) && next !== undefined && !next.startsWith("-");
  return isOption ? [arg.replace(/^-+/, ""), next.replace(placeholder, "")] : ["", ""];
}
