/**
 * Writes a file whole or not at all: a temporary one beside it, flushed, renamed over it; a link is written through
 * and the present mode kept unless one is given. The library salts its temporary names with `__filename`, which
 * CommonJS code has by nature and a bundle of modules does not, so it is given one.
 */
export async function writeAtomic(path: string, text: string, mode?: number): Promise<void> {
  if (!("__filename" in globalThis)) Object.assign(globalThis, { __filename: import.meta.filename });
  const { default: writeFileAtomic } = await import("write-file-atomic");
  await writeFileAtomic(path, text, mode === undefined ? {} : { mode });
}
