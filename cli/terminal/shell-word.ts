/** A text quoted as one shell argument: names in commands to copy may be untrusted. */
export function shellWord(text: string): string {
  return /^[\w./:@^~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
