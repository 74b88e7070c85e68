/**
 * Configuration of agents for the MCP server of this service, one piece of text per client. Clients sign in with OAuth
 * in the browser, or with an API token. Tokens are never written into the text: clients read them from the environment
 * variable `SVC_TOKEN`, or ask for them.
 */

export interface AgentClient {
  id: "claude" | "cursor" | "codex" | "copilot" | "windsurf" | "cline" | "opencode";
  name: string;
  /** File that the text belongs into; undefined for a command. */
  file?: string;
  language: "shell" | "json" | "toml";
  text: string;
}

export type AgentSignIn = "browser" | "token";

interface Options {
  signIn: AgentSignIn;
  /** The entry's name in the client. */
  name?: string;
}

const json = (value: object) => JSON.stringify(value, null, 2);
const inInput = "\u0024{input:svc-token}";
const inEnv = "\u0024{env:SVC_TOKEN}";

/** `url`: address of the MCP server. */
export function agentClients(url: string, { signIn, name = "svc" }: Options): AgentClient[] {
  const hasToken = signIn === "token";
  const token = (variable: string) => (hasToken ? { headers: { Authorization: `Bearer ${variable}` } } : {});
  return [
    {
      id: "claude",
      name: "Claude Code",
      language: "shell",
      text: `claude mcp add --transport http ${name} ${url}${hasToken ? claudeToken : ""}`,
    },
    {
      id: "cursor",
      name: "Cursor",
      file: "~/.cursor/mcp.json",
      language: "json",
      text: json({ mcpServers: { [name]: { url, ...token(inEnv) } } }),
    },
    {
      id: "codex",
      name: "Codex",
      file: "~/.codex/config.toml",
      language: "toml",
      text:
        `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}` +
        (hasToken ? '\nbearer_token_env_var = "SVC_TOKEN"' : ""),
    },
    {
      id: "copilot",
      name: "VS Code (Copilot)",
      file: ".vscode/mcp.json",
      language: "json",
      text: json({
        inputs: hasToken ? [tokenInput] : undefined,
        servers: { [name]: { type: "http", url, ...token(inInput) } },
      }),
    },
    {
      id: "windsurf",
      name: "Windsurf",
      file: "~/.codeium/windsurf/mcp_config.json",
      language: "json",
      text: json({ mcpServers: { [name]: { serverUrl: url, ...token(inEnv) } } }),
    },
    {
      id: "cline",
      name: "Cline",
      file: "~/.cline/data/settings/cline_mcp_settings.json",
      language: "json",
      text: json({ mcpServers: { [name]: { type: "streamableHttp", url, ...token(inEnv) } } }),
    },
    {
      id: "opencode",
      name: "OpenCode",
      file: "opencode.json",
      language: "json",
      text: json({ mcp: { [name]: { type: "remote", url, ...token("{env:SVC_TOKEN}"), enabled: true } } }),
    },
  ];
}

/** In single quotes, so that Claude Code replaces the variable, and not the shell. */
const claudeToken = " --header 'Authorization: Bearer \u0024{SVC_TOKEN}'";
const tokenInput = { type: "promptString", id: "svc-token", description: "API token of svc", password: true };
