/** Fields of a frontmatter for a preview, without the YAML parser: only values that are written on their line. */

const fence = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const maxLength = 200;

export interface PreviewFields {
  license?: string;
  /** Tools that the skill may use. */
  tools?: string;
}

export function readFields(text: string): PreviewFields {
  const frontmatter = fence.exec(text.replace(/^\ufeff/, ""))?.[1] ?? "";
  return { license: scalarOf(frontmatter, "license"), tools: scalarOf(frontmatter, "allowed-tools") };
}

/** Undefined for a value of several lines, and for one that only a parser can read. */
function scalarOf(frontmatter: string, name: string): string | undefined {
  const line = new RegExp(`^${name}:[ \\t]+(.*)$`, "m").exec(frontmatter)?.[1]?.trim();
  if (!line || /^[|>&*!{]/.test(line)) return undefined;
  const list = /^\[(.*)\]$/.exec(line)?.[1];
  if (list !== undefined) return list.split(",").map(unquoted).join(", ").slice(0, maxLength) || undefined;
  return unquoted(line.replace(/\s+#.*$/, "")).slice(0, maxLength) || undefined;
}

function unquoted(value: string): string {
  const text = value.trim();
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}
