/** Changes of a tool's file for one entry. Fields and names that users have added stay. */
import { isDeepStrictEqual } from "node:util";
import type { McpEntry, McpEntryValue, McpInput, McpTool } from "../../../contract/mcp-entries/tool.ts";
import { isRecord } from "../../state/is-record.ts";
import type { McpRecord } from "../../state/mcp-servers.ts";
import type { Change, Plain } from "../edit/change.ts";

export interface BuiltEntry {
  entry: McpEntry;
  inputs: readonly McpInput[];
}

/** `present`: the entry that svc wrote; undefined to write or replace the whole entry. */
export function entryChanges(
  tool: McpTool,
  path: readonly string[],
  { entry, inputs }: BuiltEntry,
  present: { value: unknown; record: McpRecord } | undefined,
): Change[] {
  const ids = inputs.map(({ id }) => id);
  const old = (present?.record.inputs ?? []).filter((id) => !ids.includes(id));
  return [
    ...inputs.map((item): Change => ({ kind: "add", path: ["inputs"], item })),
    ...(present !== undefined && isRecord(present.value)
      ? tool.fields.flatMap((field) =>
          fieldChanges(
            [...path, field],
            entry[field],
            (present.value as Plain)[field],
            present.record.names[field],
          ),
        )
      : [{ kind: "set", path, value: entry } as const]),
    ...old.map((id): Change => ({ kind: "drop", path: ["inputs"], id })),
  ];
}

function fieldChanges(
  path: readonly string[],
  next: McpEntryValue | undefined,
  present: unknown,
  written: readonly string[] = [],
): Change[] {
  if (isPlain(present) && (next === undefined || isNamed(next))) {
    const wanted: Readonly<Record<string, string>> = next ?? {};
    const gone = written.filter((name) => !Object.hasOwn(wanted, name) && present[name] !== undefined);
    const isLeftEmpty = Object.keys(present).every((name) => gone.includes(name));
    if (next === undefined && isLeftEmpty) return [{ kind: "remove", path }];
    return [
      ...Object.entries(wanted)
        .filter(([name, value]) => present[name] !== value)
        .map(([name, value]): Change => ({ kind: "set", path: [...path, name], value })),
      ...gone.map((name): Change => ({ kind: "remove", path: [...path, name] })),
    ];
  }
  if (next === undefined) return present === undefined ? [] : [{ kind: "remove", path }];
  return isDeepStrictEqual(next, present) ? [] : [{ kind: "set", path, value: next }];
}

function isNamed(value: McpEntryValue): value is Readonly<Record<string, string>> {
  return isRecord(value);
}

function isPlain(value: unknown): value is Plain {
  return isRecord(value);
}

/** Removes an entry, with its inputs that nothing else refers to. */
export function removalChanges(
  content: Plain,
  { container, key, inputs = [] }: Pick<McpRecord, "container" | "key" | "inputs">,
): Change[] {
  const entries = valueAt(content, container);
  const others = isRecord(entries) ? Object.entries(entries).filter(([name]) => name !== key) : [];
  const rest = JSON.stringify(others);
  return [
    { kind: "remove", path: [...container, key] },
    ...inputs
      .filter((id) => !rest.includes(`\${input:${id}}`))
      .map((id): Change => ({ kind: "drop", path: ["inputs"], id })),
  ];
}

export function valueAt(content: Plain, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), content);
}

/** Names of the variables and headers in an entry, by field. */
export function namesIn(entry: McpEntry): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(entry).flatMap(([field, value]) => (isNamed(value) ? [[field, Object.keys(value)]] : [])),
  );
}
