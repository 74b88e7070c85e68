import { type ValueParts, resolveServer } from "./resolve.ts";
import { type McpEntry, type McpRefusal, type McpTool, entryWith, toRecord } from "./tool.ts";

const noSse = "codex supports stdio and streamable http servers, not sse";

/** Codex: it replaces nothing in values, and refers to variables in fields of their own. */
export const codex: McpTool = {
  name: "codex",
  label: "Codex",
  syntax: "toml",
  files: { global: "~/.codex/config.toml" },
  container: ["mcp_servers"],
  lacks: { sse: noSse },
  fields: [
    "command",
    "args",
    "env_vars",
    "env",
    "url",
    "bearer_token_env_var",
    "http_headers",
    "env_http_headers",
  ],
  entryOf(server, values) {
    if (server.transport === "sse") return { refused: noSse };
    const { command, args, url, env, headers } = resolveServer(server, values);
    const fixed = server.transport === "stdio" ? args : [url];
    if (fixed.some((parts) => !isText(parts))) return noVariable;
    const entry =
      server.transport === "stdio"
        ? stdioEntry(command, args.map(toText), env)
        : remoteEntry(toText(url), headers);
    return "refused" in entry ? entry : { entry: entry.entry, inputs: [] };
  },
};

type Named = readonly (readonly [name: string, value: ValueParts])[];

const noVariable: McpRefusal = {
  refused: "codex can't read that value from a variable of the environment: give the value itself",
};

function stdioEntry(command: string, args: string[], env: Named): { entry: McpEntry } | McpRefusal {
  const references = env.filter(([, parts]) => !isText(parts));
  // It passes a variable on under its own name only.
  const names = references.map(([name]) => name);
  if (references.some(([name, parts]) => variableIn(parts) !== name)) return noVariable;
  return {
    entry: entryWith({
      command,
      args,
      env_vars: names.length === 0 ? undefined : names,
      env: toRecord(
        env.filter(([, parts]) => isText(parts)),
        toText,
      ),
    }),
  };
}

function remoteEntry(url: string, headers: Named): { entry: McpEntry } | McpRefusal {
  const bearer = headers.filter(([name, parts]) => isAuthorization(name) && bearerIn(parts) !== undefined);
  const variables: [string, string][] = [];
  for (const [name, parts] of headers) {
    if (isText(parts) || bearer.some(([other]) => other === name)) continue;
    const variable = variableIn(parts);
    if (variable === undefined) return noVariable;
    variables.push([name, variable]);
  }
  return {
    entry: entryWith({
      url,
      bearer_token_env_var: bearer[0] === undefined ? undefined : bearerIn(bearer[0][1]),
      http_headers: toRecord(
        headers.filter(([, parts]) => isText(parts)),
        toText,
      ),
      env_http_headers: variables.length === 0 ? undefined : Object.fromEntries(variables),
    }),
  };
}

function isText(parts: ValueParts): boolean {
  return parts.every((part) => "text" in part);
}

function toText(parts: ValueParts): string {
  return parts.map((part) => ("text" in part ? part.text : "")).join("");
}

/** The variable that is the whole value. */
function variableIn(parts: ValueParts): string | undefined {
  const [only] = parts;
  return parts.length === 1 && only !== undefined && "variable" in only ? only.variable : undefined;
}

function isAuthorization(name: string): boolean {
  return name.toLowerCase() === "authorization";
}

/** The variable of a header `Bearer <variable>`. */
function bearerIn(parts: ValueParts): string | undefined {
  const [scheme, token] = parts;
  if (parts.length !== 2 || scheme === undefined || token === undefined) return undefined;
  return "text" in scheme && scheme.text === "Bearer " && "variable" in token ? token.variable : undefined;
}
