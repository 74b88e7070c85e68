/** How an organization treats versions in which a scan found something. */

export const suspiciousMeasures = ["allow", "warn", "hold"] as const;
export const maliciousMeasures = ["warn", "hold"] as const;

export interface ScanPolicy {
  suspicious: (typeof suspiciousMeasures)[number];
  malicious: (typeof maliciousMeasures)[number];
}

export const defaultScanPolicy: ScanPolicy = { suspicious: "warn", malicious: "hold" };

/** Verdicts about which a policy decides. */
export const flaggedVerdicts = ["suspicious", "malicious"] as const;
export type FlaggedVerdict = (typeof flaggedVerdicts)[number];

export const isFlagged = (verdict: string | undefined): verdict is FlaggedVerdict =>
  flaggedVerdicts.some((flagged) => flagged === verdict);
