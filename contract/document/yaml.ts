/**
 * The only access to the YAML parser, for the service and the client. The parser and everything that walks its
 * documents call themselves once per level of nesting, and an overflow of the stack inside a regular expression ends
 * the whole process, where no `catch` helps. Every YAML text that did not originate here, trusted or not, must
 * therefore be parsed by `parseYaml`; `test/house/imports.test.ts` enforces it.
 */
import {
  CST,
  type Document,
  type DocumentOptions,
  Lexer,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  parseDocument,
} from "yaml";
import { utf8Length } from "../checks/package-rules.ts";

export const yamlLimits = {
  /** The time that hostile YAML takes grows with the square of its length. */
  bytes: 8 * 1024,
  /** Levels of nested collections, in flow and in block form together. */
  depth: 32,
} as const;

/** YAML over one of the limits. It has not been parsed. */
export class YamlLimitError extends Error {
  override readonly name = "YamlLimitError";
  readonly limit: keyof typeof yamlLimits;

  constructor(limit: keyof typeof yamlLimits) {
    super(`the YAML exceeds the limit "${limit}" of ${yamlLimits[limit]}`);
    this.limit = limit;
  }
}

/** Parser options for frontmatter, for all of its readers. */
export const yamlOptions = {
  schema: "core",
  uniqueKeys: true,
  merge: false,
  // Each of thousands of errors would be given its position and an excerpt of the text; the first one is reported.
  prettyErrors: false,
  logLevel: "error",
} as const;

/** The document of a YAML text, whose `errors` may not be empty. Throws `YamlLimitError` before it is parsed. */
export function parseYaml(
  source: string,
  options: ParseOptions & DocumentOptions & SchemaOptions,
): Document.Parsed {
  if (source.length > yamlLimits.bytes || utf8Length(source) > yamlLimits.bytes)
    throw new YamlLimitError("bytes");
  if (mayBeDeep(source)) requireShallow(source);
  return parseDocument(source, options);
}

/** A collection begins at an indicator of its own, so a text with few of them is shallow without a closer look. */
function mayBeDeep(source: string): boolean {
  let indicators = 0;
  for (const character of source) if ("[{-?:".includes(character)) indicators++;
  return indicators > yamlLimits.depth / 2;
}

/**
 * Measures nesting by the library's own tokens and syntax tree, so that brackets and dashes inside of scalars and
 * comments count as the parser counts them. The tree is built token by token: its stack has one entry per collection
 * that is open, and the work for one token is bounded by that stack. The scan ends at the first token beyond the limit.
 */
function requireShallow(source: string): void {
  const builder = new Parser();
  for (const lexeme of new Lexer().lex(source)) {
    for (const token of builder.next(lexeme)) requireShallowTree(token);
    // The document and a scalar are entries of the stack as well.
    if (builder.stack.length > yamlLimits.depth + 2) throw new YamlLimitError("depth");
  }
  for (const token of builder.end()) requireShallowTree(token);
}

/** A mapping that is found to be the key of another one joins the tree below it, without an entry of the stack. */
function requireShallowTree(root: CST.Token): void {
  let level: CST.Token[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    // The document is the first level and scalars are the last.
    if (depth > yamlLimits.depth + 1) throw new YamlLimitError("depth");
    level = level.flatMap(childrenOf);
  }
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value ? [token.value] : [];
  if (token.type === "block-scalar") return token.props;
  if (!CST.isCollection(token)) return [];
  return token.items.flatMap(({ key, value }) =>
    [key, value].filter((child) => child !== null && child !== undefined),
  );
}
