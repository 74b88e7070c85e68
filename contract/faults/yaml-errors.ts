/** Errors of the YAML library in words of our own. Pure. */
import type { ErrorCode } from "yaml";

/** The words and the remedy of each error of the library, where no correction is found. */
export const byCode: Readonly<Record<ErrorCode, readonly [found: string, remedy: string]>> = {
  ALIAS_PROPS: ["has a label at a reference (*)", "Write the value itself."],
  BAD_ALIAS: ["has a reference (*) without a name", "Put the value in quotation marks."],
  BAD_COLLECTION_TYPE: ["has a type (!) that does not fit its value", "Leave the type out."],
  BAD_DIRECTIVE: ['has a line that begins with "%"', "Remove the line, or put the value in quotation marks."],
  BAD_DQ_ESCAPE: [
    "has a backslash in double quotation marks that escapes nothing",
    "Use single quotation marks.",
  ],
  BAD_INDENT: [
    "has a line that is not indented as the lines it belongs to",
    "Indent them alike, with spaces.",
  ],
  BAD_PROP_ORDER: ["has a label or a type in a position where YAML allows none", "Leave it out."],
  BAD_SCALAR_START: [
    "has a value that begins with a character that YAML reserves",
    "Put the value in quotation marks.",
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'has a value with ": " outside of quotation marks',
    "Put the value in quotation marks.",
  ],
  BLOCK_IN_FLOW: ["has a list or mapping in brackets that is not closed", "Close the brackets."],
  DUPLICATE_KEY: ["has a key twice", "Remove one of them."],
  IMPOSSIBLE: ["is not lines of the form key: value", "Write one key: value in each line."],
  KEY_OVER_1024_CHARS: [
    'has ": " far into a value outside of quotation marks',
    "Put the value in quotation marks.",
  ],
  MISSING_CHAR: [
    "has a line without a key, or a quotation mark or bracket that is not closed",
    "Write key: value, and close what is open.",
  ],
  MULTILINE_IMPLICIT_KEY: [
    "has a line that is neither key: value nor indented as part of the value above",
    "Indent the line, or put the whole value in quotation marks.",
  ],
  MULTIPLE_ANCHORS: ["has two labels (&) at one value", "Put the value in quotation marks."],
  MULTIPLE_DOCS: ["has text after a line ... or ---, which ends YAML", "Remove that line."],
  MULTIPLE_TAGS: ["has two types (!) at one value", "Put the value in quotation marks."],
  NON_STRING_KEY: ["has a key that is not text", "Put the key in quotation marks."],
  RESOURCE_EXHAUSTION: ["refers to its values too often", "Write the values themselves."],
  TAB_AS_INDENT: ["has a line that is indented with a tab", "Indent it with spaces."],
  TAG_RESOLVE_FAILED: ["has a type (!) that does not fit its value", "Put the value in quotation marks."],
  UNEXPECTED_TOKEN: [
    "has text where YAML expects none, such as after a closing quotation mark or bracket",
    "Put the whole value in quotation marks.",
  ],
};
