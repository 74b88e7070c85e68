import type { DiffPayload } from "../../../contract/payloads/skills/skills.ts";
import { parseUnpinnedRef, parseVersionSpec } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, invalidArgument } from "../../errors.ts";
import { findScope, mainScope } from "../../install/records/scopes.ts";
import { skillArgument } from "../../present.ts";
import { type Session, openSession } from "../../state/session.ts";
import { escapeLine } from "../../terminal/escape-control.ts";
import { renderTable } from "../../terminal/table.ts";

interface FileChange {
  path: string;
  status: "added" | "removed" | "modified";
  binary: boolean;
  truncated: boolean;
  additions: number;
  deletions: number;
  hunks: DiffPayload["files"][number]["hunks"];
}

export const diff = defineCommand({
  positionals: {
    skill: skillArgument,
    from: { description: "Exact, a number or a range (default: what is installed, else the one before)" },
    to: { description: "Exact, a number or a range (default: the current version)" },
  },
  flags: { stat: { value: "none", description: "Only the amount of change per file" } },
  examples: [
    "svc diff code-review",
    "svc diff acme/code-review 1.2.0 2.0.0",
    "svc diff code-review 3 latest --stat",
  ],
  async run(context, args) {
    const ref = parseUnpinnedRef(args.skill, "<skill>", "diff takes no pin: svc diff <skill> <from> <to>.");
    const given = args.from === undefined ? undefined : parseVersionSpec(args.from, "<from>");
    const wanted = args.to === undefined ? undefined : parseVersionSpec(args.to, "<to>");

    const session = await openSession(context);
    const { client } = session;
    const { skill, version: to } = await client.resolve(ref, wanted);
    const spec = given ?? installedVersion(session, skill.publicId, context.cwd) ?? versionBefore(to);
    const { version: from } = await client.resolve(skill.publicId, spec);
    const payload = await client.diff(skill.publicId, from.version, to.version);
    if (!isDiff(payload))
      throw new CliError("E_NETWORK", "The service returned an invalid comparison.", {
        kind: "content",
      });

    const files = payload.files.map((file) => countLines(file, args.stat));
    const { publicId, slug, tenantSlug, name } = skill;
    const ends = { from: payload.from, to: payload.to, fromSemver: from.semver, toSemver: to.semver };
    const title = `${tenantSlug}/${slug} ${from.semver} → ${to.semver}`;
    return {
      data: { skill: { publicId, slug, tenantSlug, name }, ...ends, files },
      text:
        files.length === 0
          ? from.version === to.version
            ? `Nothing to compare in ${tenantSlug}/${slug}: both are ${to.semver}.`
            : `Nothing differs between ${from.semver} and ${to.semver} of ${tenantSlug}/${slug}.`
          : [
              context.output.paint("bold", escapeLine(title)),
              ...(args.stat ? [statOf(context, files)] : files.map((file) => shownFile(context, file))),
            ].join("\n"),
    };
  },
});

/** The version in this folder as a project, otherwise at the user level. */
function installedVersion(
  { config, profile }: Session,
  publicId: string,
  folder: string,
): string | undefined {
  const installed = Object.values(config.profiles[profile]?.installed ?? {});
  const skill = installed.find((one) => one.publicId === publicId);
  if (skill === undefined) return undefined;
  return String((findScope(skill, folder) ?? mainScope(skill)).version);
}

/** The version before; versions are numbered without differences. */
function versionBefore({ version, semver }: { version: number; semver: string }): string {
  if (version > 1) return String(version - 1);
  throw invalidArgument("<from>", `${semver} is the first version: there is none before it to compare with.`);
}

/** Checks the form of the response, since it is printed to a terminal. */
function isDiff(value: DiffPayload): boolean {
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0;
  return (
    isCount(value.from) &&
    isCount(value.to) &&
    Array.isArray(value.files) &&
    value.files.every(
      (file) =>
        typeof file?.path === "string" &&
        ["added", "removed", "modified"].includes(file.status) &&
        typeof file.binary === "boolean" &&
        typeof file.truncated === "boolean" &&
        Array.isArray(file.hunks) &&
        file.hunks.every(
          (hunk) =>
            [hunk?.oldStart, hunk?.oldLines, hunk?.newStart, hunk?.newLines].every(isCount) &&
            Array.isArray(hunk.lines) &&
            hunk.lines.every((line) => typeof line === "string"),
        ),
    )
  );
}

function countLines(file: DiffPayload["files"][number], isShort: boolean): FileChange {
  const { path, status, binary, truncated } = file;
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  const hunks = isShort
    ? []
    : file.hunks.map(({ oldStart, oldLines, newStart, newLines, lines: own }) => ({
        oldStart,
        oldLines,
        newStart,
        newLines,
        lines: own,
      }));
  const changed = { path, binary, truncated, additions: count("+"), deletions: count("-"), hunks };
  // Renames are not requested.
  return { ...changed, status: status === "renamed" ? "modified" : status };
}

function shownFile({ output: { paint } }: Context, file: FileChange): string {
  const { path, status, binary, truncated, hunks } = file;
  const name = escapeLine(path);
  const remark = binary
    ? `Binary file ${name} ${status}`
    : truncated
      ? `File ${name} ${status}: too large or too different to be shown`
      : hunks.length === 0 && status === "modified"
        ? `File ${name}: only its mode changed`
        : undefined;
  if (remark !== undefined) return paint("bold", remark);
  return [
    paint("bold", `--- ${status === "added" ? "/dev/null" : `a/${name}`}`),
    paint("bold", `+++ ${status === "removed" ? "/dev/null" : `b/${name}`}`),
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      paint("cyan", `@@ -${span(oldStart, oldLines)} +${span(newStart, newLines)} @@`),
      ...lines.map((line) => {
        const shown = escapeLine(line);
        return line.startsWith("+")
          ? paint("green", shown)
          : line.startsWith("-")
            ? paint("red", shown)
            : shown;
      }),
    ]),
  ].join("\n");
}

/** An empty range starts at the line before it, as in `patch`. */
function span(start: number, lines: number): string {
  return `${lines === 0 ? Math.max(0, start - 1) : start},${lines}`;
}

function statOf({ output: { columns, paint } }: Context, files: readonly FileChange[]): string {
  const rows = files.map((file) => [
    file.status,
    file.binary || file.truncated ? "" : `+${file.additions}`,
    file.binary || file.truncated ? "" : `-${file.deletions}`,
    escapeLine(file.path) + (file.binary ? " (binary)" : file.truncated ? " (not compared)" : ""),
  ]);
  return renderTable(["CHANGE", "+", "-", "FILE"], rows, {
    columns,
    paintHead: (head) => paint("bold", head),
    names: [3],
  });
}
