/** The bytes of one side of a binary file in Git's binary patch. */
import { deflateSync } from "node:zlib";
import { encodeBase85 } from "./base85.ts";

/** Decoded bytes in one line. */
const lineBytes = 52;

/** The lines, each with its line end. */
export function binaryPatch({ data }: { data: Uint8Array }): string {
  const deflated = deflateSync(data);
  let text = `literal ${data.length}\n`;
  for (let at = 0; at < deflated.length; at += lineBytes) {
    const part = deflated.subarray(at, at + lineBytes);
    const length = String.fromCharCode(part.length <= 26 ? 64 + part.length : 70 + part.length);
    text += `${length}${encodeBase85(part)}\n`;
  }
  return text;
}
