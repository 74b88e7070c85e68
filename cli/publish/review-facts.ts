/** Facts for a reviewer: what the scan of a version found, and who would get it. */
import type { SkillReachPayload } from "../../contract/payloads/skills/reach.ts";
import type { ScanPayload } from "../../contract/payloads/skills/scans.ts";
import { countText } from "../../contract/text/count-text.ts";
import { reachSentence } from "../../contract/text/reach-text.ts";
import { openReachCalls } from "../api/calls/reach.ts";
import { openScanCalls } from "../api/calls/scan.ts";
import type { HttpOptions } from "../api/http.ts";
import { fits } from "../api/shapes.ts";
import { unlessHidden } from "../api/unless-hidden.ts";
import { readReach } from "../reach.ts";
import { escapeLine } from "../terminal/escape-control.ts";

const findings = [
  {
    rule: "text",
    severity: "text",
    message: "text",
    path: "text",
    line: "whole?",
    column: "whole?",
    excerpt: "text?",
  },
] as const;
/** Number of findings that the text lists; JSON contains all of them. */
const shownFindings = 10;

export interface ReviewFacts {
  scan: Pick<ScanPayload, "state" | "verdict" | "rules" | "findings"> | undefined;
  reach: SkillReachPayload | undefined;
}

/** Without what the caller may not read. `version`: a semver. */
export async function readReviewFacts(
  options: HttpOptions,
  skill: string,
  version: string,
): Promise<ReviewFacts> {
  const [scan, reach] = await Promise.all([
    unlessHidden(() => openScanCalls(options).read(skill, version)),
    unlessHidden(() => openReachCalls(options).read(skill, version)),
  ]);
  return {
    scan: scan && {
      state: scan.state,
      verdict: scan.verdict,
      rules: scan.rules,
      findings: fits(scan.findings, findings) ? scan.findings : undefined,
    },
    reach: readReach(reach),
  };
}

/** The facts for people, a line each. */
export function factLines({ scan, reach }: ReviewFacts): string[] {
  const all = scan?.findings ?? [];
  const shown = all.slice(0, shownFindings).map(({ path, line, severity, message, rule }) => {
    const at = line === undefined ? path : `${path}:${line}`;
    return escapeLine(`    ${at}  ${severity}  ${message} (${rule})`);
  });
  return [
    ...(scan ? [`  Scan: ${scanText(scan)}`] : []),
    ...shown,
    ...(all.length > shownFindings ? [`    … and ${all.length - shownFindings} more`] : []),
    ...(reach ? [escapeLine(`  Reach: ${reachSentence(reach)}`)] : []),
  ];
}

function scanText({ state, verdict, rules }: NonNullable<ReviewFacts["scan"]>): string {
  const count = rules.reduce((sum, one) => sum + one.count, 0);
  const found = count === 0 ? "" : `, ${countText(count, "finding")}`;
  return `${state === "done" && verdict !== undefined ? verdict : state}${found}`;
}
