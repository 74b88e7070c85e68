import { leftOutSentence } from "../../../contract/package/left-out.ts";
import { countText } from "../../../contract/text/count-text.ts";
import { skillTypes } from "../../../contract/vocabulary.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import type { Finding, LintedSkill } from "../../pack/findings.ts";
import { lintPath } from "../../pack/lint.ts";
import { noteFolders } from "../../pack/note-folders.ts";
import { allowSecretsFlag } from "../../pack/secrets.ts";
import { plainLine } from "../../terminal/table.ts";

export const lint = defineCommand({
  positionals: {
    path: {
      description: "A file, a folder with a SKILL.md, or one with skills below it (default: this folder)",
      completes: "path",
    },
  },
  flags: {
    type: {
      value: "required",
      choices: skillTypes,
      hint: skillTypes.join("|"),
      description: "Expected type; default skill, and rule for a RULE.md",
    },
    strict: {
      value: "none",
      description: "Fail on warnings, too, except those about unknown keys",
    },
    "allow-secret-files": allowSecretsFlag,
  },
  examples: ["svc lint", "svc lint ./code-review", "svc lint skills --strict -o json"],
  async run(context, args) {
    const type = skillTypes.find((one) => one === args.type);
    const { skills, findings } = await lintPath(context, args.path ?? ".", {
      type,
      allowSecrets: args["allow-secret-files"],
    });
    noteFolders(
      context,
      skills.map(({ path }) => path),
    );
    const count = (severity: Finding["severity"]) =>
      findings.filter((finding) => finding.severity === severity).length;
    const summary = { skills: skills.length, errors: count("error"), warnings: count("warning") };
    const ok = summary.errors === 0 && (!args.strict || !findings.some(isFault));
    return {
      data: { ok, skills, findings, summary },
      text: [
        ...findings.map((finding) => line(context, finding)),
        ...skills.flatMap((skill) => leftOutLine(context, skill) ?? []),
        total(context, summary, ok),
      ].join("\n"),
      partial: !ok,
    };
  },
});

/** A key that no tool uses has no effect, so it is not a fault. */
const isFault = ({ rule }: Finding) => rule !== "unknown_key";

function line({ output: { paint } }: Context, finding: Finding): string {
  const { severity, rule, path, message } = finding;
  const position = finding.line === undefined ? path : `${path}:${finding.line}`;
  const word = severity === "error" ? paint("red", "error") : paint("yellow", "warning");
  return `${word}  ${plainLine(position)}  ${plainLine(message)}  ${paint("dim", rule)}`;
}

function leftOutLine({ output: { paint } }: Context, { path, leftOut = [] }: LintedSkill) {
  const sentence = leftOutSentence(leftOut);
  return sentence && `${paint("dim", "note")}  ${plainLine(path)}  ${plainLine(sentence)}`;
}

function total(
  { output: { paint } }: Context,
  { skills, errors, warnings }: { skills: number; errors: number; warnings: number },
  ok: boolean,
): string {
  const found = [
    ...(errors > 0 ? [countText(errors, "error")] : []),
    ...(warnings > 0 ? [countText(warnings, "warning")] : []),
  ];
  const verdict = found.length === 0 ? "no problems" : found.join(", ");
  return `${countText(skills, "skill")}: ${paint(ok ? "green" : "red", verdict)}`;
}
