/**
 * Configuration of agents for the MCP server of this service, one piece of text per client. Tokens are never written into
 * it: clients read them from the environment variable `SVC_TOKEN`, or ask for them.
 */

export interface AgentClient {
  id: "claude" | "cursor" | "codex" | "copilot" | "windsurf" | "cline" | "opencode";
  name: string;
  /** File that the text belongs into; undefined for a command. */
  file?: string;
  language: "shell" | "json" | "toml";
  text: string;
}

const json = (value: object) => JSON.stringify(value, null, 2);
const bearer = (variable: string) => ({ Authorization: `Bearer ${variable}` });
const inInput = "\u0024{input:svc-token}";
const inEnv = "\u0024{env:SVC_TOKEN}";

/** `url`: address of the MCP server. `name`: the entry's name in the client. */
export function agentClients(url: string, name = "svc"): AgentClient[] {
  return [
    {
      id: "claude",
      name: "Claude Code",
      language: "shell",
      text: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer $SVC_TOKEN"`,
    },
    {
      id: "cursor",
      name: "Cursor",
      file: "~/.cursor/mcp.json",
      language: "json",
      text: json({ mcpServers: { [name]: { url, headers: bearer(inEnv) } } }),
    },
    {
      id: "codex",
      name: "Codex",
      file: "~/.codex/config.toml",
      language: "toml",
      text: `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "SVC_TOKEN"`,
    },
    {
      id: "copilot",
      name: "VS Code (Copilot)",
      file: ".vscode/mcp.json",
      language: "json",
      text: json({
        inputs: [{ type: "promptString", id: "svc-token", description: "API token of svc", password: true }],
        servers: { [name]: { type: "http", url, headers: bearer(inInput) } },
      }),
    },
    {
      id: "windsurf",
      name: "Windsurf",
      file: "~/.codeium/windsurf/mcp_config.json",
      language: "json",
      text: json({ mcpServers: { [name]: { serverUrl: url, headers: bearer(inEnv) } } }),
    },
    {
      id: "cline",
      name: "Cline",
      file: "~/.cline/data/settings/cline_mcp_settings.json",
      language: "json",
      text: json({ mcpServers: { [name]: { type: "streamableHttp", url, headers: bearer(inEnv) } } }),
    },
    {
      id: "opencode",
      name: "OpenCode",
      file: "opencode.json",
      language: "json",
      text: json({
        mcp: { [name]: { type: "remote", url, headers: bearer("{env:SVC_TOKEN}"), enabled: true } },
      }),
    },
  ];
}
