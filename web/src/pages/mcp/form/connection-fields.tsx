import { Input, Switch, Textarea, TextInput } from "@mantine/core";
import { limits } from "../../../../../contract/limits.ts";
import { Segments } from "../../../parts/page/segments.tsx";
import type { FieldProps } from "./general-fields.tsx";

const transports = [
  { value: "http", label: "Remote (HTTP)" },
  { value: "sse", label: "Remote (SSE)" },
  { value: "stdio", label: "Local process" },
] as const;
const hints = {
  http: "Tools connect to an address by streamable HTTP.",
  sse: "For servers that offer only the older transport. Not every tool supports it.",
  stdio: "Tools start a program on the member's machine.",
} as const;

/** How tools reach the server. */
export function ConnectionFields(props: FieldProps) {
  const { draft, onChange } = props;
  return (
    <section className="panel" aria-label="Connection">
      <header>
        <h2>Connection</h2>
      </header>
      <div className="body stack gap-4">
        <Input.Wrapper label="Transport" description={hints[draft.transport]}>
          <div className="scroll">
            <Segments
              label="Transport"
              data={[...transports]}
              value={draft.transport}
              onChange={(transport) => onChange({ transport })}
            />
          </div>
        </Input.Wrapper>
        {draft.transport === "stdio" ? <CommandFields {...props} /> : <AddressFields {...props} />}
      </div>
    </section>
  );
}

function CommandFields({ draft, problems, onChange }: FieldProps) {
  const inArgs = Object.entries(problems).find(([path]) => path === "args" || path.startsWith("args."));
  const at = inArgs && Number(inArgs[0].split(".")[1]) + 1;
  return (
    <>
      <TextInput
        label="Command"
        required
        placeholder="npx"
        maxLength={limits.mcpCommand}
        value={draft.command}
        error={problems["command"]}
        spellCheck={false}
        onChange={(event) => onChange({ command: event.currentTarget.value })}
      />
      <Textarea
        label="Arguments"
        description="One in each line. {NAME} stands for a value that each member supplies."
        autosize
        minRows={2}
        maxRows={12}
        value={draft.args}
        error={inArgs && (at ? `Argument ${at}: ${inArgs[1]}` : inArgs[1])}
        spellCheck={false}
        onChange={(event) => onChange({ args: event.currentTarget.value })}
      />
    </>
  );
}

function AddressFields({ draft, problems, onChange }: FieldProps) {
  return (
    <>
      <TextInput
        label="Address"
        description="{NAME} stands for a value that each member supplies."
        required
        inputMode="url"
        placeholder="https://mcp.example.com/mcp"
        maxLength={limits.mcpUrl}
        value={draft.url}
        error={problems["url"]}
        spellCheck={false}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      {/^http:/i.test(draft.url.trim()) && (
        <Switch
          label="The server is on our own network, and may be reached without encryption"
          checked={draft.allowHttp}
          onChange={(event) => onChange({ allowHttp: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
