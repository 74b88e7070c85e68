/**
 * Files and texts that hold credentials, which a skill must not publish by mistake. The same rules for `svc lint` and
 * for every upload. Nothing here returns the text of a secret. Pure.
 */
import { compareUtf8 } from "./package-rules.ts";

export const secretRules = ["secret_file", "secret_text"] as const;
export type SecretRule = (typeof secretRules)[number];

/** A file of a skill with a secret. `what`: its kind, such as "a private key"; `line` from 1. */
export interface SecretFinding {
  rule: SecretRule;
  path: string;
  what: string;
  line?: number;
}

/** File names by which tools find credentials, in lower case. */
const fileNames: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\.env(?:\..+)?$/, "environment variables, which usually include passwords"],
  [/^(?:.+\.)?id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/, "a private SSH key"],
  [/\.(?:p12|pfx|jks|keystore|kdbx|ppk)$/, "a store of keys"],
  [/^[._]netrc$|^\.git-credentials$|^\.pypirc$|^\.htpasswd$|^\.pgpass$/, "passwords"],
];
/** Templates, which are meant to be published, also in another language: `.env.example.md`, `.env.d.ts`. */
const templateName =
  /[._-](?:example|sample|template|tmpl|tpl|dist|defaults?|schema)(?:[._-]|$)|\.(?:md|mdx|d\.ts|vault)$/;

const pathNames: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/(?:^|\/)\.aws\/credentials$/, "credentials of a cloud account"],
  [/(?:^|\/)\.docker\/config\.json$/, "credentials of container registries"],
  [/(?:^|\/)\.kube\/config$/, "credentials of clusters"],
];

/** The kind of secret that a file of this name usually holds; `path` has `/` between its parts. */
export function secretInName(path: string): string | undefined {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (templateName.test(name)) return undefined;
  const known = fileNames.find(([pattern]) => pattern.test(name));
  return (known ?? pathNames.find(([pattern]) => pattern.test(lower)))?.[1];
}

/** Tokens with a fixed prefix. The first group is the random part. */
const tokens: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\blsk[ts]?_([0-9a-f]{64})\b/g, "an API token of a skill registry"],
  [/\b(?:AKIA|ASIA)([A-Z2-7]{16})\b/g, "an AWS access key"],
  [/\bgh[pousr]_([A-Za-z0-9]{36,255})\b/g, "a GitHub token"],
  [/\bgithub_pat_([A-Za-z0-9_]{60,255})\b/g, "a GitHub token"],
  [/\bglpat-([\w-]{20,255})/g, "a GitLab token"],
  [/\bxox[abeoprs]-([0-9A-Za-z-]{20,255})/g, "a Slack token"],
  [/\b[sr]k_live_([0-9A-Za-z]{24,255})\b/g, "a Stripe key"],
  [/\bsk-ant-([\w-]{40,255})/g, "an Anthropic key"],
  [/\bsk-(?:proj|svcacct|admin)-([\w-]{40,255})/g, "an OpenAI key"],
  [/\bsk-([A-Za-z0-9]{48})\b/g, "an OpenAI key"],
  [/\bAIza([\w-]{35})(?![\w-])/g, "a Google API key"],
  [/\bGOCSPX-([\w-]{28})(?![\w-])/g, "a Google client secret"],
  [/\bnpm_([A-Za-z0-9]{36})\b/g, "an npm token"],
  [/\bpypi-([\w-]{60,255})/g, "a PyPI token"],
  [/\bhf_([A-Za-z0-9]{34,40})\b/g, "a Hugging Face token"],
  [/\bSG\.([\w-]{22}\.[\w-]{43})(?![\w-])/g, "a SendGrid key"],
  [/_authToken\s{0,4}=\s{0,4}"?([\w-]{20,255})/g, "a token of a package registry"],
];

/** The line breaks may be escaped, as in JSON. Documentation that only names the line has no key behind it. */
const privateKey =
  /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\r|\\n){1,4}(?:[^\r\n\\:]{1,80}: [^\r\n\\]{0,200}(?:\r?\n|\\n)){0,8}(?:\s|\\n){0,40}([A-Za-z0-9+/=]{32})/g;

/** Longest match of a pattern, by which the parts of a long text overlap. */
export const secretOverlap = 4096;

export interface SecretPosition {
  what: string;
  /** Offset of the first character. */
  offset: number;
  length: number;
}

/** The first secret in a text. */
export function secretInText(text: string): SecretPosition | undefined {
  return secretsInText(text, 1)[0];
}

/** The first secrets in a text, in the order of their positions. */
export function secretsInText(text: string, most: number): SecretPosition[] {
  const found: SecretPosition[] = [];
  for (const [pattern, what] of [[privateKey, "a private key"] as const, ...tokens]) {
    let count = 0;
    for (const match of text.matchAll(pattern)) {
      if (!isRandom(match[1]!)) continue;
      if (pattern === privateKey && isCutShort(text, match.index + match[0].length)) continue;
      found.push({ what, offset: match.index, length: match[0].length });
      if (++count === most) break;
    }
  }
  return found.toSorted((a, b) => a.offset - b.offset).slice(0, most);
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** The finding as a clause, without the secret. */
export function secretReason({ rule, what }: SecretFinding): string {
  return rule === "secret_file" ? `its name is that of a file with ${what}` : `it contains ${what}`;
}

/** Placeholders repeat a few characters, count, or say what they are. */
function isRandom(part: string): boolean {
  if (/example|your(?:[_-]|api|key|token|secret)|x{6}|0{8}|placeholder|redacted|changeme/i.test(part))
    return false;
  const plain = part.toLowerCase();
  return new Set(plain).size >= 8 && !isCounting(plain);
}

/** Characters in the orders in which people write them when they make a key up. */
const orders = ["abcdefghijklmnopqrstuvwxyza", "0123456789012", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
const followers: ReadonlySet<string> = new Set(
  orders.flatMap((order) => Array.from(order.slice(1), (next, i) => order[i]! + next)),
);
/** Share of the steps from letter to letter, and from digit to digit, that follow an order in a placeholder. */
const countingShare = 0.8;

/** Whether letters and digits, each on their own, mostly follow an order, as in "a1b2c3d4". By chance, a tenth does. */
function isCounting(part: string): boolean {
  let [steps, following] = [0, 0];
  for (const characters of [part.replace(/[^a-z]/g, ""), part.replace(/[^0-9]/g, "")])
    for (let i = 1; i < characters.length; i++) {
      steps++;
      const pair = characters.slice(i - 1, i + 1);
      if (pair[0] === pair[1] || followers.has(pair)) following++;
    }
  return steps >= 8 && following / steps >= countingShare;
}

/** Whether the text of a private key ends with dots, as in documentation: such a key is incomplete. */
function isCutShort(text: string, offset: number): boolean {
  return /^(?:[A-Za-z0-9+/=\s]|\\[rn]){0,4000}(?:\.{3}|…|â\u0080¦)/.test(
    text.slice(offset, offset + secretOverlap),
  );
}

/** In the order of paths, for a message that is the same on every machine. */
export function sortSecrets(findings: readonly SecretFinding[]): SecretFinding[] {
  return findings.toSorted((a, b) => compareUtf8(a.path, b.path));
}
