/** Edits of a tool's file, by its syntax. */
import type { McpTool } from "../../../contract/mcp-entries/tool.ts";
import type { Change, Edited, Plain, Undo } from "./change.ts";
import { afterMark } from "./text.ts";

/** All throw `UnusableFile`, and keep a byte order mark. */
export interface Editor {
  read: (text: string) => Plain;
  /** `container`: the path of the entries. */
  edit: (text: string, container: readonly string[], changes: readonly Change[]) => Edited;
  /** Removes what the first edit created, as far as it is empty again. */
  restore: (text: string, undo: readonly Undo[]) => string;
}

/** The parser of TOML is loaded for the tool that needs it. */
export async function loadEditor({ syntax }: McpTool): Promise<Editor> {
  if (syntax === "toml") {
    const { editToml, readToml } = await import("./toml.ts");
    return {
      read: (text) => readToml(withoutMark(text)),
      edit: (text, container, changes) => afterMark(text, (rest) => editToml(rest, container, changes)),
      restore: (text) => text,
    };
  }
  const { editJson, readJson, restoreJson } = await import("./json.ts");
  return {
    read: (text) => readJson(withoutMark(text), syntax),
    edit: (text, _, changes) => afterMark(text, (rest) => editJson(rest, syntax, changes)),
    restore: (text, undo) => afterMark(text, (rest) => restoreJson(rest, syntax, undo)).text,
  };
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
