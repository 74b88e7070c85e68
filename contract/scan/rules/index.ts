/** All rules of the scanner, and their version. */
import type { RuleSet } from "../scan-rule.ts";
import { archiveFileRules, archiveTextRules } from "./archives.ts";
import { exfiltrationRules, exfiltrationTogether } from "./exfiltration.ts";
import { hiddenTextRules } from "./hidden-text.ts";
import { instructionRules } from "./instructions.ts";
import { persistenceRules } from "./persistence.ts";
import { remoteCodeRules } from "./remote-code.ts";
import { secretFileRules, secretTextRules } from "./secrets.ts";
import { skillRules } from "./skill-facts.ts";

/** Changes with every change of a rule, so that skills are scanned again. */
export const ruleSetVersion = "2";

export const rules: RuleSet = {
  text: [
    ...hiddenTextRules,
    ...secretTextRules,
    ...remoteCodeRules,
    ...exfiltrationRules,
    ...instructionRules,
    ...persistenceRules,
    ...archiveTextRules,
  ],
  together: exfiltrationTogether,
  file: [...secretFileRules, ...archiveFileRules],
  skill: skillRules,
};
