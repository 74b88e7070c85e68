import { Button } from "@mantine/core";
import { useDeferredValue, useState } from "react";
import { ApiError } from "../../../api/client.ts";
import type { McpServer } from "../../../api/mcp-servers.ts";
import { Form } from "../../../parts/forms/form.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { ToolPreview } from "../preview.tsx";
import { ConnectionFields } from "./connection-fields.tsx";
import { configOf, draftOf, missingNames, newValue, problemsOf, type Draft } from "./draft.ts";
import { GeneralFields } from "./general-fields.tsx";
import { ValueFields } from "./value-fields.tsx";

interface Props {
  org: string;
  /** Undefined for a new one. */
  server: McpServer | undefined;
  saving: { isPending: boolean; error: unknown };
  onSave: (draft: Draft) => void;
  onCancel: () => void;
}

/** The fields of a server, next to what each tool's file will hold. */
export function ServerForm({ org, server, saving, onSave, onCancel }: Props) {
  const [draft, setDraft] = useState(() => draftOf(server));
  const [isTried, setTried] = useState(false);
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const config = configOf(draft);
  const found = problemsOf(config, isTried);
  const refused = saving.error instanceof ApiError ? saving.error.fields : {};
  const problems = { ...refused, ...found };
  const isComplete = draft.name.trim() !== "" && Object.keys(problemsOf(config, true)).length === 0;
  const missing = missingNames(config);
  const fields = { draft, problems, onChange: change };
  return (
    <div className="two-columns with-preview">
      <Form
        label={server ? "MCP server" : "New MCP server"}
        error={saving.error ?? (isTried && !isComplete)}
        onSubmit={() => {
          setTried(true);
          if (isComplete && !saving.isPending) onSave(draft);
        }}
      >
        <GeneralFields
          org={org}
          isNew={!server}
          isNameMissing={isTried && draft.name.trim() === ""}
          {...fields}
        />
        <ConnectionFields {...fields} />
        {draft.transport === "stdio" ? (
          <ValueFields key="env" list="env" {...fields} />
        ) : (
          <ValueFields key="headers" list="headers" {...fields} />
        )}
        <ValueFields
          list="variables"
          {...fields}
          missing={missing}
          onAddMissing={(name) =>
            change({ variables: [...draft.variables, newValue({ name, label: labelOf(name) })] })
          }
        />
        <Problem error={saving.error} fields={Object.keys(refused)} />
        {isTried && !isComplete && (
          <p className="danger" role="alert">
            Something is missing or wrong: see the fields that are marked.
          </p>
        )}
        <div className="row wrap">
          <Button type="submit" loading={saving.isPending}>
            {server ? "Save" : "Register server"}
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      </Form>
      <Preview org={org} server={server} draft={draft} />
    </div>
  );
}

/** A name such as `api_key` as a label. */
function labelOf(name: string): string {
  const words = name.replaceAll(/[_.-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Follows typing as the browser has time. */
function Preview({ org, server, draft }: { org: string; server: McpServer | undefined; draft: Draft }) {
  const shown = useDeferredValue(draft);
  const slug = server?.slug ?? (shown.slug.trim() || slugOf(shown.name));
  return (
    <aside className="stack gap-3 mcp-preview" aria-label="Preview">
      <h2>What the tool&apos;s file will hold</h2>
      <ToolPreview server={{ ...configOf(shown), slug, tenantSlug: org }} hasCommand={false} />
      <p className="meta">
        Texts in angle brackets are supplied by each member at installation, and stay on their machine.
      </p>
    </aside>
  );
}

/** Approximately as the service makes it. */
function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? "server" : slug;
}
