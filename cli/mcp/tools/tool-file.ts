/** The configuration files of a tool. Each tool is one file with such a definition, next to its form of entries. */
import type { McpEntry, McpRefusal, McpTool } from "../../../contract/mcp-entries/tool.ts";
import type { InstallLocation, Machine } from "../../targets/target.ts";
import type { Plain } from "../edit/change.ts";

/** Read access to the machine, for tools that use one of several files. */
export interface Files {
  isThere: (path: string) => Promise<boolean>;
  /** The content of a file, or undefined if it can't be read. */
  contentOf: (path: string, tool: McpTool) => Promise<Plain | undefined>;
}

export interface McpToolFile {
  tool: McpTool;
  /** The file of a location. */
  fileOf: (location: InstallLocation, files: Files) => Promise<string | McpRefusal>;
  /** Content of a new file. */
  initial?: Readonly<Record<string, unknown>>;
  /** The path of the entries, and the form that they have there; by default those of the tool. */
  formIn?: (content: Plain) => { container: readonly string[]; toEntry: (entry: McpEntry) => McpEntry };
}

/** The tool's file, and further ones that are written on request (`--also`), by name. */
export interface McpToolFiles extends McpToolFile {
  also?: Readonly<Record<string, AlsoFile>>;
}

export interface AlsoFile extends McpToolFile {
  /** Where this folder exists, the file is written without a request. */
  impliedBy?: (machine: Machine) => string;
}
