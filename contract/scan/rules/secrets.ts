/** Credentials in the content, by the rules that every upload is checked by. */
import { secretInName, secretsInText } from "../../checks/secret-rules.ts";
import type { FileRule, TextRule } from "../scan-rule.ts";

/** Most secrets of one part that are listed. */
const maxSecrets = 50;
const mayBeSecret =
  /PRIVATE KEY|lsk[ts]?_|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|k_live_|sk-|AIza|GOCSPX-|npm_|pypi-|hf_|SG\.|_authToken/;

export const secretTextRules: readonly TextRule[] = [
  {
    id: "secrets.token",
    severity: "suspicious",
    sentence: "Contains a password, a key or a token.",
    match: ({ text }) =>
      mayBeSecret.test(text)
        ? secretsInText(text, maxSecrets).map(({ offset, length }) => ({
            start: offset,
            end: offset + length,
          }))
        : [],
    isConcrete: true,
  },
];

export const secretFileRules: readonly FileRule[] = [
  {
    id: "secrets.file",
    severity: "note",
    sentence: "Has the name of a file in which tools keep passwords or keys.",
    matchFile: ({ path }) => secretInName(path) !== undefined,
  },
];
