/** The result of scanning a skill, as the service and the client report it. */

/** From the mildest to the worst. */
export const scanSeverities = ["note", "suspicious", "malicious"] as const;
export type ScanSeverity = (typeof scanSeverities)[number];

/** `failed`: the scan has no result, for a technical reason. It never counts as clean. */
export const scanVerdicts = ["clean", "notes", "suspicious", "malicious", "failed"] as const;
/** Progress of the service with the scan of a version. `failed`: the last attempt had no result. */
export const scanStates = ["pending", "done", "failed"] as const;

export type ScanVerdict = (typeof scanVerdicts)[number];

export const scanFamilies = [
  "hidden-text",
  "secrets",
  "remote-code",
  "exfiltration",
  "instructions",
  "persistence",
  "archives",
  "capabilities",
  "metadata",
] as const;
export type ScanFamily = (typeof scanFamilies)[number];

/** Family and name of a rule, such as `remote-code.piped-download`. */
export type ScanRuleId = `${ScanFamily}.${string}`;

export interface ScanFinding {
  rule: ScanRuleId;
  severity: ScanSeverity;
  /** A sentence for people. */
  message: string;
  /** Path in the skill; of a file in an archive, `archive.zip!/path`. */
  path: string;
  /** Both from 1; absent for a finding about the file as a whole. */
  line?: number;
  column?: number;
  /** Secrets are masked, and hidden characters are written as `<U+202E>`. */
  excerpt?: string;
}

export interface ScanReport {
  verdict: ScanVerdict;
  /** Version of the rules. */
  ruleSet: string;
  /** The worst ones first, at most `limits.scanFindings`. */
  findings: ScanFinding[];
  /** Numbers of findings, also of those that are not listed. */
  counts: Partial<Record<ScanRuleId, number>>;
  /** Reason for the verdict `failed`, as a sentence. */
  failure?: string;
}

export const isWorse = (a: ScanSeverity, b: ScanSeverity) =>
  scanSeverities.indexOf(a) > scanSeverities.indexOf(b);
