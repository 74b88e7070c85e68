/** The result of `svc mcp install`, as JSON and for people. */
import type { CommandResult } from "../command.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { snippetLines } from "../terminal/output.ts";
import type { FailedEntry } from "./entries/failed-entry.ts";
import type { InstalledEntries } from "./entries/install.ts";
import { presentMcpRecord } from "./records.ts";

/** Throws `E_NO_TARGETS` if no tool has the server. */
export function presentMcpInstall(
  { output }: Context,
  name: string,
  { installed, skipped, failed }: InstalledEntries,
  more: { data: Record<string, unknown>; warnings: readonly string[]; lines?: readonly string[] },
): CommandResult {
  if (installed.length === 0)
    throw new CliError(
      "E_NO_TARGETS",
      skipped.length + failed.length === 0
        ? `${name} was not installed: no tool was found on this machine. Name tools with --target.`
        : `${name} was not installed anywhere.`,
      { kind: "mcpServer", ref: name, skipped: [...skipped, ...failed.map(asSkipped)] },
    );
  for (const warning of more.warnings) output.warn(warning);
  const { paint } = output;
  const { server, ...rest } = more.data;
  return {
    data: {
      server,
      installed: installed.map(presentMcpRecord),
      skipped,
      failed,
      warnings: more.warnings,
      ...rest,
    },
    text: [
      `Installed ${paint("bold", name)}`,
      ...installed.map(({ platform, path, key }) => `  ${paint("green", platform)}  ${path}  (${key})`),
      ...skipped.map(({ platform, reason }) => `  ${paint("yellow", platform)}  skipped: ${reason}`),
      ...failed.flatMap(({ platform, error, snippet }) => [
        `  ${paint("red", platform)}  failed: ${error}`,
        ...snippetLines(snippet).map((line) => `    ${line}`),
      ]),
      ...(more.lines ?? []),
    ].join("\n"),
    partial: failed.length > 0,
  };
}

function asSkipped({ platform, error, line, column, snippet }: FailedEntry) {
  return { platform, reason: error, line, column, snippet };
}
