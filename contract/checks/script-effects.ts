/**
 * Hints for reviewers about lines of a program: that they start programs, read secrets, or call the network. Found by
 * the words of common languages, so they prove neither presence nor absence. Pure.
 */

export interface ScriptEffect {
  /** Completes "the file …". */
  effect: string;
  pattern: RegExp;
}

/** Without nested repetition, so that each takes time in proportion to the line. */
const effects: readonly ScriptEffect[] = [
  {
    effect: "starts programs",
    pattern:
      /\bsubprocess\b|\bchild_process\b|\bexeca?(?:Sync|File)?\(|\bspawn(?:Sync)?\(|\bos\.(?:system|popen|exec[lv])|\beval\b|\bsudo\b|\bInvoke-Expression\b|\bStart-Process\b/,
  },
  {
    effect: "reads secrets",
    pattern:
      /\bos\.environ\b|\bgetenv\b|\bprocess\.env\b|\$\{?[A-Z][A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|API_?KEY)|~?\/\.(?:ssh|aws|netrc|npmrc|kube|gnupg)\b|\bkeychain\b|\bid_(?:rsa|ed25519)\b/i,
  },
  {
    effect: "calls the network",
    pattern:
      /\b(?:curl|wget|nc|ssh|scp|rsync)\s|\bfetch\(|\baxios\b|\brequests\.(?:get|post|put|request)|\burllib\b|\bhttpx\b|\baiohttp\b|\bhttps?\.(?:get|request)\(|\bInvoke-WebRequest\b|\/dev\/tcp\//,
  },
];

const scriptEnding = /\.(?:sh|bash|zsh|fish|py|js|mjs|cjs|ts|mts|rb|pl|php|ps1|bat|cmd|lua|r)$/i;
/** Characters of a line that are looked at. */
const maxLength = 2000;

/** Whether a file is run rather than read, by its name or by the interpreter that its first line names. */
export const isScript = (path: string, firstLine: string | undefined): boolean =>
  scriptEnding.test(path) || firstLine?.startsWith("#!") === true;

/** The effects that these lines suggest, in a fixed order. */
export function effectsOf(lines: readonly string[]): string[] {
  return effects
    .filter(({ pattern }) => lines.some((line) => pattern.test(line.slice(0, maxLength))))
    .map(({ effect }) => effect);
}
