/**
 * Values in configurations that are probably secrets: by the form of known tokens, by their names, or by their entropy.
 */
import { secretInText } from "./secret-rules.ts";

/** Digests of images and commits, which are random but public. */
const publicDigest = /(?:sha(?:1|256|384|512)[:-]|[@#])[0-9a-f]{7,128}\b/gi;
const uuid = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const secretName =
  /(?:^|[_.-])(?:api[_-]?key|access[_-]?key|private[_-]?key|secret(?:[_-]?key)?|token|passw(?:or)?d|pwd|passphrase|credentials?|authorization|bearer)$/i;
const schemes = /^(?:bearer|basic|token|digest|apikey|api-key)\s+/i;

/** Characters of a run whose entropy is examined. */
const shortest = 20;
/** Bits per character. Words and paths stay below, random letters and digits are above. */
const mixedBits = 3.6;
const hexBits = 3;

/** The kind of secret that a text contains, such as "a GitHub token"; undefined if it looks harmless. */
export function likelySecret(text: string): string | undefined {
  const known = secretInText(text);
  if (known) return known.what;
  const rest = text.replace(publicDigest, " ").replace(uuid, " ");
  const runs = rest.match(/[A-Za-z0-9+]{20,}={0,2}/g) ?? [];
  return runs.some(isRandomRun) ? "a secret" : undefined;
}

/** Whether a value is a secret by its name, as in `API_KEY=…`. */
export function namesSecret(name: string, value: string): boolean {
  if (!secretName.test(splitWords(name))) return false;
  const rest = value.trim().replace(schemes, "").trim();
  if (rest.length < 8 || /\s/.test(rest)) return false;
  return !/^(?:[\d.]+|true|false|https?:\/\/.*|[./~].*)$/i.test(rest);
}

/** `apiKey` and `API_KEY` with the same separators. */
function splitWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2");
}

function isRandomRun(run: string): boolean {
  const text = run.replace(/=+$/, "");
  if (text.length < shortest || !/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  if (/^[0-9a-f]+$/i.test(text)) return text.length >= 32 && entropyOf(text) >= hexBits;
  const digits = text.replace(/\D/g, "").length;
  return digits >= 3 && entropyOf(text) >= mixedBits;
}

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
