/** Content of allowed sizes that takes the service as long as possible. */
const textOf = (yaml: string) => `---\n${yaml}\n---\n\nbody\n`;

/** YAML of which each character is a token, or an error. */
export const costlyYaml = textOf("]".repeat(8000));

/** A table whose rows are filled up to the number of its columns. */
export const wideTable = `${"|a".repeat(3000)}|\n${"|-".repeat(3000)}|\n${"|b\n".repeat(6000)}`;

/** Texts without a line in common, in any order. */
export const unlike = (salt: number) =>
  Array.from({ length: 20_000 }, (_, i) => `${(i * 7919 * salt) % 10_007} ${salt}`).join("\n");
