/** Records of MCP servers in the tools' configuration files. They have no values of members. */
import type { InstallScope, McpInstallMode, McpTarget } from "../../contract/vocabulary.ts";
import { isRecord } from "./is-record.ts";

/** An entry of a tool's file: the fields of JSON output, and those that identify what svc wrote. */
export interface McpRecord {
  platform: McpTarget;
  scope: InstallScope;
  path: string;
  key: string;
  projectDir?: string;
  /** The name of a further file of the tool; absent for its default one. */
  also?: string;
  installedAt: string;
  /** Revision of the server's record; 0 for the endpoint of hosted connectors. */
  revision: number;
  /** The path of the object that has the entry. */
  container: string[];
  /** Names of the variables and headers that svc wrote, by field of the entry. */
  names: Record<string, string[]>;
  /** Ids of the inputs that the entry refers to. */
  inputs?: string[];
  /** About to be written: an interrupted run may not have. `forced`: in place of an entry of someone else. */
  pending?: "new" | "forced";
}

/** A server with the way in which tools reach it. */
export interface ServerHead {
  publicId: string;
  slug: string;
  tenantSlug: string;
  via: McpInstallMode;
}

export interface InstalledMcpServer extends ServerHead {
  /** At least one. */
  installs: McpRecord[];
}

/** A file that has entries of svc, as it was before the first one. */
export interface McpFileState {
  /** Its content after svc created it, without the entries; absent if it existed. */
  created?: string;
  /** The outermost folder that was created for it. */
  createdFolder?: string;
  undo: { path: readonly string[]; was: string | null }[];
}

export function isInstalledMcpServer(value: unknown): boolean {
  return (
    isRecord(value) &&
    ["publicId", "slug", "tenantSlug", "via"].every((key) => typeof value[key] === "string") &&
    Array.isArray(value["installs"]) &&
    value["installs"].every(isMcpRecord)
  );
}

function isMcpRecord(value: unknown): boolean {
  return (
    isRecord(value) &&
    ["platform", "scope", "path", "key", "installedAt"].every((key) => typeof value[key] === "string") &&
    [value["projectDir"], value["also"]].every((one) => one === undefined || typeof one === "string") &&
    Number.isInteger(value["revision"]) &&
    isTexts(value["container"]) &&
    isRecord(value["names"]) &&
    Object.values(value["names"]).every(isTexts) &&
    (value["inputs"] === undefined || isTexts(value["inputs"]))
  );
}

export function isMcpFileState(value: unknown): boolean {
  return (
    isRecord(value) &&
    [value["created"], value["createdFolder"]].every((one) => one === undefined || typeof one === "string") &&
    Array.isArray(value["undo"]) &&
    value["undo"].every(
      (undo) =>
        isRecord(undo) && isTexts(undo["path"]) && (undo["was"] === null || typeof undo["was"] === "string"),
    )
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
