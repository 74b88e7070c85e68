import { leftOutSentence } from "../../../contract/package/left-out.ts";
import { type ScanFinding, type ScanVerdict, scanVerdicts } from "../../../contract/scan/report.ts";
import { countText } from "../../../contract/text/count-text.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { noteFolders } from "../../pack/note-folders.ts";
import { type ScannedSkill, scanPath } from "../../pack/scan-content.ts";
import { plainLine } from "../../terminal/table.ts";

export const scan = defineCommand({
  positionals: {
    path: {
      description: "A file, a folder with a SKILL.md, or one with skills below it (default: this folder)",
      completes: "path",
    },
  },
  flags: {
    strict: {
      value: "none",
      description: "Fail on notes, too",
    },
  },
  examples: ["svc scan", "svc scan ./code-review", "svc scan skills -o json"],
  async run(context, args) {
    const { ruleSet, skills, findings } = await scanPath(context, args.path ?? ".");
    noteFolders(
      context,
      skills.map(({ path }) => path),
    );
    const numbers = scanVerdicts.map((verdict) => [
      verdict,
      skills.filter((skill) => skill.verdict === verdict).length,
    ]);
    const counts = Object.fromEntries(numbers) as Record<ScanVerdict, number>;
    const accepted: readonly ScanVerdict[] = args.strict ? ["clean"] : ["clean", "notes"];
    const ok = skills.every(({ verdict }) => accepted.includes(verdict));
    return {
      data: { ok, ruleSet, skills, findings, summary: { skills: skills.length, ...counts } },
      text: [
        ...findings.flatMap((finding) => lines(context, finding)),
        ...skills.flatMap((skill) => skillLines(context, skill)),
        total(context, skills.length, counts, ok),
      ].join("\n"),
      partial: !ok,
    };
  },
});

const colors = { note: "dim", suspicious: "yellow", malicious: "red" } as const;

function lines({ output: { paint } }: Context, finding: ScanFinding): string[] {
  const { rule, severity, path, line, column, message, excerpt } = finding;
  const position = [path, line, column].filter((part) => part !== undefined).join(":");
  const first = `${paint(colors[severity], severity)}  ${plainLine(position)}  ${message}  ${paint("dim", rule)}`;
  return excerpt === undefined || excerpt === ""
    ? [first]
    : [first, `    ${paint("dim", plainLine(excerpt))}`];
}

function skillLines({ output: { paint } }: Context, { path, failure, leftOut = [] }: ScannedSkill): string[] {
  const sentence = leftOutSentence(leftOut);
  return [
    ...(failure === undefined
      ? []
      : [`${paint("red", "failed")}  ${plainLine(path)}  ${plainLine(failure)}`]),
    ...(sentence ? [`${paint("dim", "note")}  ${plainLine(path)}  ${plainLine(sentence)}`] : []),
  ];
}

function total(
  { output: { paint } }: Context,
  skills: number,
  counts: Record<ScanVerdict, number>,
  ok: boolean,
): string {
  const { notes, suspicious, malicious, failed } = counts;
  const found = [
    ...(malicious > 0 ? [`${malicious} malicious`] : []),
    ...(suspicious > 0 ? [`${suspicious} suspicious`] : []),
    ...(failed > 0 ? [`${failed} not scanned`] : []),
    ...(notes > 0 ? [`${notes} with notes`] : []),
  ];
  const verdict = found.length === 0 ? "nothing found" : found.join(", ");
  return `${countText(skills, "skill")}: ${paint(ok ? "green" : "red", verdict)}`;
}
