import { Select } from "@mantine/core";
import { useState } from "react";
import { agentClients, type AgentClient, type AgentSignIn } from "../../../../contract/agent-clients.ts";
import { Segments } from "../page/segments.tsx";
import { Command } from "./command.tsx";
import { CopyFile } from "./copy-file.tsx";

const signIns: { value: AgentSignIn; label: string }[] = [
  { value: "browser", label: "In the browser" },
  { value: "token", label: "API token" },
];

/** The lines that connect a client to the MCP server of the service, for each client and way to sign in. */
export function AgentConfig() {
  const [id, setId] = useState<AgentClient["id"]>("claude");
  const [signIn, setSignIn] = useState<AgentSignIn>("browser");
  const clients = agentClients(`${location.origin}/mcp`, { signIn });
  const { file, text } = clients.find((client) => client.id === id)!;
  return (
    <div className="stack">
      <div className="row wrap">
        <Select
          aria-label="Client"
          size="xs"
          data={clients.map(({ id: value, name }) => ({ value, label: name }))}
          value={id}
          allowDeselect={false}
          onChange={(value) => value && setId(value)}
        />
        <Segments label="Sign in" data={signIns} value={signIn} onChange={setSignIn} />
      </div>
      {file === undefined ? <Command text={text} /> : <CopyFile path={file} text={text} />}
      <p className="meta">{hintOf(id, signIn)}</p>
    </div>
  );
}

/** Steps that the text of a client leaves to the person. */
function hintOf(id: AgentClient["id"], signIn: AgentSignIn): string {
  if (signIn === "token")
    return id === "copilot"
      ? "VS Code asks for the token when it starts the server."
      : "Set SVC_TOKEN to an API token in the environment of the client.";
  if (id === "claude") return "Then enter /mcp in Claude Code, choose svc and Authenticate.";
  if (id === "codex") return "Then run codex mcp login svc.";
  return "The client opens this service in the browser when it needs your access.";
}
