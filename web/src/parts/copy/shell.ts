/** Characters that no shell interprets. The caret of a version range is one that some do. */
const plain = /^[\w@%+=:,./-]+$/;

/** One word of a command line, quoted for a POSIX shell where it has to be. */
const shellWord = (word: string): string =>
  plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** A command line to copy. Names from others can't end a word or begin a command. */
export const commandLine = (...words: string[]): string => words.map(shellWord).join(" ");

/** The command that installs a skill with its current version. */
export const installLine = (org: string, slug: string): string =>
  commandLine("svc", "install", `${org}/${slug}`);
