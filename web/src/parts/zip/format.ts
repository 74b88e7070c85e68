/** The parts of the zip format that packages use (APPNOTE.TXT 4.3), and the files that go in and out. */
import type { FileMode } from "../../../../contract/package-rules.ts";

export interface ZipFile {
  path: string;
  mode: FileMode;
  data: Blob;
}

/** A file that the user dropped or chose. */
export interface DroppedFile extends ZipFile {
  /** The source states no modes: a file that it replaces keeps its own. */
  isGuessed: boolean;
}

export const signatures = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;
export const sizes = { local: 30, central: 46, end: 22, end64: 56, locator64: 20 } as const;

/** All bytes that pass a transformation of the browser, which runs outside of this thread. */
export async function transform(
  data: Uint8Array | Blob,
  by: CompressionStream | DecompressionStream,
  /** Ends the work at an output that is larger, as of a bomb. */
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array[]> {
  const source = data instanceof Blob ? data : new Blob([data as Uint8Array<ArrayBuffer>]);
  const reader = source.stream().pipeThrough(by).getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    bytes += value.length;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new Error("The zip is damaged: a file is larger than its directory states.");
    }
    parts.push(value);
  }
}
