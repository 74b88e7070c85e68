/** Bytes that are shown of a file that is not text. */
export const hexBytes = 4096;
const perLine = 16;

/** Offset, bytes and characters, sixteen bytes a line. */
export function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  const shown = bytes.subarray(0, hexBytes);
  for (let at = 0; at < shown.length; at += perLine) {
    const part = [...shown.subarray(at, at + perLine)];
    const numbers = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${numbers.padEnd(perLine * 3 - 1)}  ${text}`);
  }
  return lines.join("\n");
}
