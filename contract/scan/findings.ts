/** Collects findings within limits: all are counted, and some of each rule are listed. */
import { limits } from "../limits.ts";
import {
  isWorse,
  scanSeverities,
  type ScanFinding,
  type ScanReport,
  type ScanRuleId,
  type ScanSeverity,
} from "./report.ts";

export interface FindingPosition extends Pick<ScanFinding, "path" | "line" | "column"> {
  /** Only made for what is listed. */
  excerpt?: () => string;
}

export function collectFindings() {
  const listed: ScanFinding[] = [];
  const seen = new Set<string>();
  const counts: Partial<Record<ScanRuleId, number>> = {};
  let worst: ScanSeverity | undefined;
  return {
    /** One for each line of a file; the first one counts. */
    add(
      { id, sentence }: { id: ScanRuleId; sentence: string },
      severity: ScanSeverity,
      { excerpt, ...position }: FindingPosition,
    ): void {
      const key = `${id} ${severity} ${position.line ?? ""} ${position.path}`;
      if (seen.has(key)) return;
      if (seen.size < limits.scanCounted) seen.add(key);
      const count = (counts[id] ?? 0) + 1;
      counts[id] = count;
      if (worst === undefined || isWorse(severity, worst)) worst = severity;
      const ofRule = listed.filter((finding) => finding.rule === id);
      // A worse one takes the place of a milder one.
      const milder =
        ofRule.length < limits.scanFindingsPerRule
          ? undefined
          : ofRule.findLast((finding) => isWorse(severity, finding.severity));
      if (ofRule.length >= limits.scanFindingsPerRule && milder === undefined) return;
      const entry = { rule: id, severity, message: sentence, ...position, excerpt: excerpt?.() };
      listed[milder === undefined ? listed.length : listed.indexOf(milder)] = entry;
    },
    report(ruleSet: string): ScanReport {
      const findings = listed
        .toSorted((a, b) => scanSeverities.indexOf(b.severity) - scanSeverities.indexOf(a.severity))
        .slice(0, limits.scanFindings);
      const verdict = worst === undefined ? "clean" : worst === "note" ? "notes" : worst;
      return { verdict, ruleSet, findings, counts };
    },
  };
}
