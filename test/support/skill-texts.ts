/**
 * Texts of skills with frontmatter of every form that YAML has: numbers in all notations, comments, quotes, block
 * scalars, flow collections, Unicode, blank lines, byte order marks, both line ends. The service accepts all of them.
 */
import fc from "fast-check";

export interface GeneratedText {
  text: string;
  /** Everything before the body: `head + body` is the text. */
  head: string;
  body: string;
  /** Text around the entry of the name; undefined if the text has none. */
  around: { before: string; after: string } | undefined;
  /** The value that YAML reads. */
  name: string | undefined;
  hasDescription: boolean;
}

/** The source of an entry of a mapping, with its line end. */
type Entry = string;

const words = fc.constantFrom("look twice", "héllo ✓ 日本語", "🦊 fox", "a-b_c", "Ünïcode   gaps");
const quoted = words.map((word) => `"${word}\\t\\u00e9"`);
const oneLine = fc.oneof(
  words,
  quoted,
  fc.constantFrom("1.10", "0x1F", "0o17", "010", "~", "1e3", "-0", ".5", "1_000", "12345678901234567890123"),
  fc.constantFrom("2026-11-22", "2026-11-22T07:00:00Z", "12:30:45", "yes", "no", "null", "true", "False", ""),
  fc.constantFrom(
    "'it''s'",
    "'  spaces  '",
    '"a: b # no comment"',
    "''",
    '""',
    "!!str 12",
    "http://x.example/#a",
  ),
  fc.constantFrom("[a, 'b', {c: 1.0}]", "{x: 01, y: [~, ]}", "[]", "{}"),
);
const comment = fc.constantFrom("", "", "  # why: so", " #", "\t# tab", "   ");
const scalarEntry = fc.tuple(oneLine, comment).map(([value, end]) => ` ${value}${end}\n`);
const longEntry = fc.constantFrom(
  " |\n  # no comment\n   indented\n\n  end\n",
  " >-\n  folded\n  text\n",
  " |+ # keep\n  kept\n\n\n",
  " |2\n    deep\n",
  ' "over\n  two lines"\n',
  " plain over\n  two lines\n",
  "\n  deep: 1.0 # c\n  deeper:\n    - a\n    -   b\n    - {c: 0x0A}\n",
  "\n- a\n- 'b'\n",
  " [a,\n  b, # c\n  c]\n",
);
const between = fc.constantFrom("", "", "", "# about the next one\n", "\n", "  \n", "#\n\n# two\n");
const other = (index: number): fc.Arbitrary<Entry> =>
  fc
    .tuple(between, fc.constantFrom("", "'", '"'), fc.oneof(scalarEntry, longEntry))
    .map(([above, quote, value]) => {
      return `${above}${quote}key-${index}${quote}:${value}`;
    });

interface NamedEntry {
  source: Entry;
  name: string;
}

const nameWord = fc.constantFrom("tool", "my-tool", "Review helper", "日本語 ツール", "true", "1e3", "a");
const nameEntry: fc.Arbitrary<NamedEntry> = fc
  .tuple(nameWord, fc.constantFrom("'", '"', "explicit", "block", "folded", "plain", "key"), comment)
  .map(([name, form, end]) => {
    const sources: Record<string, string> = {
      "'": `name: '${name}'${end}\n`,
      '"': `name:   "${name}"${end}\n`,
      explicit: `? name\n: "${name}"${end}\n`,
      block: `name: |\n  ${name}\n`,
      folded: `name: >-\n  ${name}\n`,
      plain: `name: ${/^(true|1e3)$/.test(name) ? `"${name}"` : name}${end}\n`,
      key: `"name" : '${name}'${end}\n`,
    };
    return { source: sources[form]!, name };
  });
const described = fc.constantFrom(
  "description: Looks twice.\n",
  "description: 'It''s # quoted'  # why\n",
  "description: >\n  Over several\n  lines.\n\n  And more.\n",
  'description: "a \\u2028 b"\n',
  "description: |-\n  One.\n",
);
const undescribed = fc.constantFrom(
  "",
  "description:\n",
  "description: # to do\n",
  "description: ''\n",
  "description: ~\n",
);

const fence = fc.constantFrom("---", "---", "---", "--- ", "---\t");
const blank = fc.constantFrom("", "\n", "\n", "\n\n\n", "  \n\t\n");
const piece = fc.constantFrom(
  "# Title",
  "Look twice.  ",
  "---",
  "",
  "- item\t",
  "é ✓ 🦊",
  "```yaml\nname: other\n```",
  "<!-- mine -->",
  " indented",
);
const body = fc
  .tuple(
    fc.constantFrom("# Title", "x", "-", "<!-- a -->"),
    fc.array(piece, { maxLength: 5 }),
    fc.constantFrom("", "\n", "\n\n"),
  )
  .map(([first, rest, end]) => [first, ...rest].join("\n") + end);

const block = fc
  .tuple(
    fc.option(nameEntry, { nil: undefined }),
    fc.oneof(described, undescribed),
    fc
      .integer({ min: 0, max: 3 })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => other(i)))),
    fc.nat({ max: 4 }),
    fc.boolean(),
    between,
  )
  .map(([named, description, others, at, isFirst, end]) => {
    const entries = isFirst ? [description, ...others] : [...others, description];
    const index = Math.min(at, entries.length);
    return {
      before: entries.slice(0, index).join(""),
      named,
      after: entries.slice(index).join("") + end,
      hasDescription: !/^description:(?: # to do| ''| ~)?\n$/.test(description) && description !== "",
    };
  });

const fenced: fc.Arbitrary<GeneratedText> = fc
  .tuple(block, fence, fence, blank, body, fc.boolean(), fc.boolean())
  .map(([{ before, named, after, hasDescription }, open, close, gap, content, hasBom, isWindows]) => {
    const ends = (text: string) => (isWindows ? text.replaceAll("\n", "\r\n") : text);
    const start = ends(`${hasBom ? "\uFEFF" : ""}${open}\n${before}`);
    const end = ends(`${after}${close}\n${gap}`);
    const head = start + ends(named?.source ?? "") + end;
    const tail = ends(content);
    return {
      text: head + tail,
      head,
      body: tail,
      around: named && { before: start, after: end + tail },
      name: named?.name,
      hasDescription,
    };
  });

const flow: fc.Arbitrary<GeneratedText> = fc
  .tuple(
    fc.constantFrom("{name: tool, a: 1.10}", "{a: 0x1F}", "{}", "{ 'name' : \"My tool\",\n  b: [~] } # c"),
    body,
  )
  .map(([yaml, content]) => {
    const head = `---\n${yaml}\n---\n\n`;
    const name = /My tool/.exec(yaml)?.[0] ?? /\btool\b/.exec(yaml)?.[0];
    return { text: head + content, head, body: content, around: undefined, name, hasDescription: false };
  });

const plain: fc.Arbitrary<GeneratedText> = fc
  .tuple(fc.boolean(), body, blank)
  .map(([hasBom, content, above]) => {
    const head = hasBom ? "\uFEFF" : "";
    const own = above + content;
    return { text: head + own, head, body: own, around: undefined, name: undefined, hasDescription: false };
  });

export const skillTexts: fc.Arbitrary<GeneratedText> = fc.oneof(
  { arbitrary: fenced, weight: 8 },
  { arbitrary: flow, weight: 1 },
  { arbitrary: plain, weight: 1 },
);
