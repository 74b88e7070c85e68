import { Select } from "@mantine/core";
import { useState } from "react";
import { mcpTools, mcpToolOf, previewEntry } from "../../../../contract/mcp-entries/index.ts";
import {
  memberValues,
  type McpServer,
  type SuppliedValues,
} from "../../../../contract/mcp-entries/server.ts";
import type { McpTarget } from "../../../../contract/vocabulary.ts";
import { Command } from "../../parts/copy/command.tsx";
import { CopyFile } from "../../parts/copy/copy-file.tsx";
import { commandLine } from "../../parts/copy/shell.ts";
import { Segments } from "../../parts/page/segments.tsx";

type Scope = "global" | "project";

/** Each value of a member, as its label in angle brackets. */
function exampleValues(server: McpServer): SuppliedValues {
  return Object.fromEntries(
    memberValues(server).map(({ name, label }) => [name, { text: `<${label === "" ? name : label}>` }]),
  );
}

interface Props {
  server: McpServer;
  /** Shows the command that writes the file. */
  hasCommand: boolean;
}

/** The content of a tool's file after the installation, for each tool and scope. */
export function ToolPreview({ server, hasCommand }: Props) {
  const [name, setName] = useState<McpTarget>("claude");
  const [wanted, setWanted] = useState<Scope>("global");
  const tool = mcpToolOf(name);
  const scopes = (["global", "project"] as const).filter((one) => tool.files[one] !== undefined);
  const scope = scopes.includes(wanted) ? wanted : scopes[0]!;
  const preview = previewEntry(tool, server, exampleValues(server));
  const flag = scope === "global" ? "--global" : "--project";
  const ref = `${server.tenantSlug}/${server.slug}`;
  const line = commandLine("svc", "mcp", "install", ref, "--target", name, flag);
  return (
    <div className="stack gap-3">
      <div className="row wrap">
        <Select
          aria-label="Tool"
          size="xs"
          data={mcpTools.map((one) => ({ value: one.name, label: one.label }))}
          value={name}
          allowDeselect={false}
          onChange={(value) => value && setName(value)}
        />
        <Segments
          label="Scope"
          data={scopes.map((one) => ({ value: one, label: one === "global" ? "Everywhere" : "One project" }))}
          value={scope}
          onChange={setWanted}
        />
      </div>
      {"refused" in preview ? (
        <p className="note warn">{preview.refused}</p>
      ) : (
        <>
          {hasCommand && <Command text={line} />}
          <CopyFile path={tool.files[scope]!} text={preview.text} />
        </>
      )}
    </div>
  );
}
