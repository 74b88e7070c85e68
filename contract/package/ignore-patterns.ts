/**
 * Patterns of `.gitignore` files (gitignore(5)), also used for `.svcignore`. The time of a match is bounded by the
 * product of the lengths of pattern and path, so that untrusted patterns can be applied. Tests compare the results
 * with those of git.
 */

/** Names of the files with patterns. Patterns of the later one are applied last, so they win. */
export const ignoreFiles: readonly string[] = [".gitignore", ".svcignore"];

/** Larger files, and patterns after these, are not applied. */
export const ignoreLimits = { bytes: 64 * 1024, patterns: 1000 } as const;

export interface IgnorePattern {
  /** The pattern begins with `!`: what it matches is kept. */
  keeps: boolean;
  foldersOnly: boolean;
  /** Matches the path relative to the folder of the file, instead of the name alone. */
  anchored: boolean;
  segments: Segment[];
}

type Segment = "**" | Token[];
type Token = { kind: "star" } | { kind: "any" } | { kind: "one"; matches: (character: string) => boolean };

export function parseIgnoreFile(text: string): IgnorePattern[] {
  if (text.length > ignoreLimits.bytes) return [];
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line) => parsePattern(line) ?? [])
    .slice(0, ignoreLimits.patterns);
}

function parsePattern(line: string): IgnorePattern | undefined {
  let pattern = withoutTrailingBlanks(line.replace(/\r$/, ""));
  if (pattern === "" || pattern.startsWith("#")) return undefined;
  const keeps = pattern.startsWith("!");
  if (keeps) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith("/");
  if (foldersOnly) pattern = pattern.slice(0, -1);
  // A slash may be escaped, which changes nothing, except that no path begins with one.
  if (pattern.startsWith("\\/")) return undefined;
  pattern = pattern.replace(/(?<!\\)((?:\\\\)*)\\\//g, "$1/");
  const anchored = pattern.includes("/");
  if (pattern.startsWith("/")) pattern = pattern.slice(1);
  if (pattern === "") return undefined;
  const segments = pattern.split("/").map((part) => (/^\*{2,}$/.test(part) ? "**" : tokensOf(part)));
  // A class without its end, or a backslash at the end, matches nothing.
  if (segments.includes(undefined)) return undefined;
  return { keeps, foldersOnly, anchored, segments: segments as Segment[] };
}

/** Blanks at the end count only after a backslash. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " " && !isEscaped(line, end - 1)) end--;
  return line.slice(0, end);
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  for (let i = at - 1; i >= 0 && text[i] === "\\"; i--) backslashes++;
  return backslashes % 2 === 1;
}

function tokensOf(part: string): Token[] | undefined {
  const tokens: Token[] = [];
  const characters = Array.from(part);
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i]!;
    if (character === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else if (character === "?") tokens.push({ kind: "any" });
    else if (character === "[") {
      const found = classAt(characters, i);
      if (!found) return undefined;
      tokens.push({ kind: "one", matches: found.matches });
      i = found.end;
    } else {
      const literal = character === "\\" ? characters[++i] : character;
      if (literal === undefined) return undefined;
      tokens.push({ kind: "one", matches: (given) => given === literal });
    }
  }
  return tokens;
}

/** Classes of characters in `[[:alpha:]]`. */
const named: Record<string, RegExp> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  digit: /[0-9]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-f]/i,
};

function classAt(
  characters: readonly string[],
  start: number,
): { matches: (character: string) => boolean; end: number } | undefined {
  let i = start + 1;
  const negated = characters[i] === "!" || characters[i] === "^";
  if (negated) i++;
  const singles = new Set<string>();
  const ranges: [first: string, last: string][] = [];
  const patterns = new Set<RegExp>();
  for (let isFirst = true; ; isFirst = false) {
    let from = characters[i];
    if (from === undefined) return undefined;
    if (from === "]" && !isFirst) break;
    if (from === "[" && characters[i + 1] === ":") {
      const end = characters.indexOf("]", i + 2);
      const pattern =
        end > 0 && characters[end - 1] === ":" ? named[characters.slice(i + 2, end - 1).join("")] : undefined;
      if (!pattern) return undefined;
      patterns.add(pattern);
      i = end + 1;
      continue;
    }
    if (from === "\\") from = characters[++i];
    if (from === undefined) return undefined;
    // As in git, the beginning of a range that is in the wrong order matches.
    singles.add(from);
    if (characters[i + 1] === "-" && characters[i + 2] !== undefined && characters[i + 2] !== "]") {
      i += 2;
      if (characters[i] === "\\") i++;
      const last = characters[i];
      if (last === undefined) return undefined;
      ranges.push([from, last]);
    }
    i++;
  }
  const isInRange = searchRanges(ranges);
  const isNamed = (character: string) => Array.from(patterns).some((pattern) => pattern.test(character));
  return {
    matches: (character) =>
      (singles.has(character) || isInRange(character) || isNamed(character)) !== negated,
    end: i,
  };
}

/** Finds characters in any of the ranges in logarithmic time: one class of a stranger can have thousands. */
function searchRanges(ranges: readonly [first: string, last: string][]): (character: string) => boolean {
  const joined: [first: string, last: string][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const before = joined.at(-1);
    if (first > last) continue;
    if (!before || first > before[1]) joined.push([first, last]);
    else if (last > before[1]) before[1] = last;
  }
  return (character) => {
    let [low, high] = [0, joined.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (joined[middle]![1] < character) low = middle + 1;
      else high = middle;
    }
    return joined[low] !== undefined && joined[low]![0] <= character;
  };
}

/** Number of character comparisons that are left; untrusted ignore files may require very many. */
export interface MatchWork {
  left: number;
}

/** Whether the pattern applies to a path, which is relative to the folder of the ignore file. */
export function matchesPattern(
  pattern: IgnorePattern,
  path: string,
  isFolder: boolean,
  work: MatchWork,
): boolean {
  if (pattern.foldersOnly && !isFolder) return false;
  const parts = path.split("/");
  return matchSegments(pattern.segments, pattern.anchored ? parts : parts.slice(-1), work);
}

/** One place to return to is enough, both for `*` in a name and for `**` in a path: later ones are never worse. */
function matchSegments(segments: readonly Segment[], parts: readonly string[], work: MatchWork): boolean {
  let [at, part, star, resume] = [0, 0, -1, 0];
  while (part < parts.length) {
    const segment = segments[at];
    if (segment === "**") {
      // At the end it matches everything inside of a folder, but not the folder.
      if (at === segments.length - 1) return true;
      star = at++;
      resume = part;
    } else if (segment !== undefined && matchName(segment, parts[part]!, work)) {
      at++;
      part++;
    } else if (star >= 0) {
      at = star + 1;
      part = ++resume;
    } else return false;
  }
  return at === segments.length;
}

function matchName(tokens: readonly Token[], name: string, work: MatchWork): boolean {
  const characters = Array.from(name);
  work.left -= characters.length;
  let [at, i, star, resume] = [0, 0, -1, 0];
  while (i < characters.length) {
    work.left--;
    const token = tokens[at];
    if (token?.kind === "star") {
      star = at++;
      resume = i;
    } else if (token && (token.kind === "any" || token.matches(characters[i]!))) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++resume;
    } else return false;
  }
  while (tokens[at]?.kind === "star") at++;
  return at === tokens.length;
}
