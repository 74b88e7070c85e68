/** Texts that are written in a form that people can't read: Base64, escapes, codes of characters, tag characters. */

export interface Layer {
  text: string;
  /** Position of the encoded form. */
  offset: number;
}

const shortest = 12;
const base64 =
  /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}(?:(?:\\?\r?\n[ \t]{0,12}|["']\s{0,3}[+.,\\]?\s{0,40}["'])[A-Za-z0-9+/_-]{4,}){0,20000}={0,2}/g;
const escapes =
  /(?:\\x[0-9a-f]{2}){6,}|(?:\\u00[0-9a-f]{2}){6,}|(?:\\[0-3][0-7]{2}){6,}|(?:%[0-9a-f]{2}){8,}/gi;
/** Digits of Base64, too, so that they are looked for among those. */
const hexDigits = /^[0-9a-f]{32,}$/i;
const codes = /(?<![\d.])(?:\d{2,3}\s{0,3},\s{0,8}){11,}\d{2,3}(?![\d.])/g;
const charCalls = /(?:\bchr\(\d{2,3}\)\s{0,3}[+.&]\s{0,3}){5,}chr\(\d{2,3}\)/gi;
const tags = /[\u{e0020}-\u{e007e}]{4,}/gu;
const mayHaveTags = /\udb40/;

/** Decoded texts; those that do not decode to a text are left out. */
export function layersOf(text: string): Layer[] {
  const layers: Layer[] = [];
  const add = (offset: number, decoded: string | undefined) => {
    if (decoded !== undefined && decoded.length >= shortest) layers.push({ text: decoded, offset });
  };
  for (const { 0: found, index } of text.matchAll(base64))
    if (hexDigits.test(found)) add(index, readable(bytesOf(found.match(/../g)!, 16)));
    else add(index, decodeBase64(found));
  for (const { 0: found, index } of text.matchAll(escapes)) add(index, readable(bytesOfEscapes(found)));
  for (const { 0: found, index } of text.matchAll(codes)) add(index, readable(bytesOf(found.split(","), 10)));
  for (const { 0: found, index } of text.matchAll(charCalls))
    add(index, readable(bytesOf(found.match(/\d+/g)!, 10)));
  if (mayHaveTags.test(text))
    for (const { 0: found, index } of text.matchAll(tags))
      add(index, Array.from(found, (tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000)).join(""));
  return layers;
}

const bytesOf = (numbers: readonly string[], radix: number) =>
  Uint8Array.from(numbers, (number) => Number.parseInt(number, radix));

function bytesOfEscapes(found: string): Uint8Array {
  if (found.startsWith("%")) return bytesOf(found.slice(1).split("%"), 16);
  if (/^\\x/i.test(found)) return bytesOf(found.slice(2).split(/\\x/i), 16);
  if (/^\\u/i.test(found)) return bytesOf(found.slice(4).split(/\\u00/i), 16);
  return bytesOf(found.slice(1).split("\\"), 8);
}

const values = new Int8Array(128).fill(-1);
for (const [value, character] of Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
).entries())
  values[character.charCodeAt(0)] = value;
values["-".charCodeAt(0)] = 62;
values["_".charCodeAt(0)] = 63;

/** Paths and long words are Base64 by their letters, too: the first bytes decide before the rest is decoded. */
function decodeBase64(found: string): string | undefined {
  if (readable(bytesOfBase64(found.slice(0, 64))) === undefined) return undefined;
  return readable(bytesOfBase64(found));
}

function bytesOfBase64(found: string): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((found.length * 3) / 4));
  let [length, bits, count] = [0, 0, 0];
  for (let i = 0; i < found.length; i++) {
    const value = values[found.charCodeAt(i)] ?? -1;
    if (value < 0) continue;
    bits = ((bits << 6) | value) & 0xffffff;
    if (++count % 4 === 1) continue;
    bytes[length++] = (bits >> (6 - ((count - 1) % 4) * 2)) & 0xff;
  }
  return bytes.subarray(0, length);
}

/** The bytes as a text if nearly all are those of one, in UTF-16 as well. */
function readable(bytes: Uint8Array): string | undefined {
  if (bytes.length < 8) return undefined;
  const isWide = bytes[1] === 0 && bytes[3] === 0 && bytes[5] === 0 && bytes[0] !== 0;
  const text = new TextDecoder(isWide ? "utf-16le" : "latin1").decode(bytes);
  let plain = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code >= 0x20 && code < 0x7f) || code === 10 || code === 13 || code === 9) plain++;
  }
  return plain >= text.length * 0.92 ? text : undefined;
}
