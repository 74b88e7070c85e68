/** Kinds of files by their first bytes, whatever their names say. */

export type FileKind =
  | "program"
  | "bytecode"
  | "zip"
  | "gzip"
  | "tar"
  | "opaque-archive"
  | "image"
  | "font"
  | "pdf"
  | "office"
  | "media"
  | "database"
  | "text"
  | "script"
  | "binary"
  | "empty";

const signatures: readonly (readonly [kind: FileKind, hex: string, offset?: number])[] = [
  ["program", "7f454c46"],
  ["program", "feedface"],
  ["program", "feedfacf"],
  ["program", "cefaedfe"],
  ["program", "cffaedfe"],
  ["bytecode", "cafebabe"],
  ["bytecode", "0061736d"],
  ["zip", "504b0304"],
  ["zip", "504b0506"],
  ["gzip", "1f8b08"],
  ["opaque-archive", "377abcaf271c"],
  ["opaque-archive", "526172211a07"],
  ["opaque-archive", "fd377a585a00"],
  ["opaque-archive", "425a68"],
  ["opaque-archive", "28b52ffd"],
  ["opaque-archive", "4d534346"],
  ["tar", "7573746172", 257],
  ["image", "89504e470d0a1a0a"],
  ["image", "ffd8ff"],
  ["image", "47494638"],
  ["image", "49492a00"],
  ["image", "4d4d002a"],
  ["image", "00000100"],
  ["font", "00010000"],
  ["font", "4f54544f"],
  ["font", "774f4646"],
  ["font", "774f4632"],
  ["pdf", "25504446"],
  ["office", "d0cf11e0a1b11ae1"],
  ["media", "494433"],
  ["media", "4f676753"],
  ["media", "52494646"],
  ["media", "66747970", 4],
  ["database", "53514c69746520666f726d6174"],
];

const hexAt = (data: Uint8Array, from: number, length: number) =>
  Array.from(data.subarray(from, from + length), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** `text`: the content, if it reads as text. */
export function fileKind(data: Uint8Array, text: string | undefined): FileKind {
  if (data.length === 0) return "empty";
  const head = hexAt(data, 0, 16);
  for (const [kind, hex, offset = 0] of signatures)
    if (offset === 0 ? head.startsWith(hex) : hexAt(data, offset, hex.length / 2) === hex) return kind;
  if (beginsAsScript(data)) return "script";
  if (text !== undefined) return /^\uFEFF?#!/.test(text) ? "script" : "text";
  if (isWindowsProgram(data)) return "program";
  return isPythonBytecode(data) ? "bytecode" : "binary";
}

/** Names an interpreter, also after a mark of the encoding. */
export const beginsAsScript = (data: Uint8Array): boolean =>
  /^(?:\xef\xbb\xbf)?#!/.test(String.fromCharCode(...data.subarray(0, 5)));

/** `MZ`, and the signature at the offset that byte 60 names. */
function isWindowsProgram(data: Uint8Array): boolean {
  if (data[0] !== 0x4d || data[1] !== 0x5a || data.length < 64) return false;
  const at = data[60]! | (data[61]! << 8) | (data[62]! << 16);
  return hexAt(data, at, 4) === "50450000" || at === 0;
}

/** A magic number of two bytes with a line break after it. */
const isPythonBytecode = (data: Uint8Array) =>
  data.length > 16 && data[2] === 0x0d && data[3] === 0x0a && data[1] !== undefined && data[1] < 0x10;

export const endingOf = (path: string) => /\.([a-z0-9]{1,10})$/i.exec(path)?.[1]?.toLowerCase() ?? "";

/** Endings by which people expect a file that nothing runs. */
const harmlessEndings: Partial<Record<FileKind, readonly string[]>> = {
  image: ["png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "tif", "tiff"],
  font: ["ttf", "otf", "woff", "woff2"],
  pdf: ["pdf"],
  media: ["mp3", "mp4", "mov", "wav", "ogg", "webm", "avi"],
  office: ["doc", "xls", "ppt", "docx", "xlsx", "pptx"],
  zip: ["zip", "jar", "docx", "xlsx", "pptx", "odt", "whl", "epub"],
  text: ["md", "txt", "json", "yaml", "yml", "csv", "xml", "html", "css", "toml", "svg"],
};

/** The kind that a name promises; undefined for endings of programs, and unknown ones. */
export function promisedKind(path: string): FileKind | undefined {
  const ending = endingOf(path);
  const found = Object.entries(harmlessEndings).find(([, endings]) => endings.includes(ending));
  return found && (found[0] as FileKind);
}

/** Formats of documents that are zips. */
export const isDocumentZip = (path: string) =>
  /\.(?:docx|docm|dotx|xlsx|xlsm|xltx|pptx|pptm|potx|odt|ods|odp|epub|jar|whl|vsix|xpi|key|pages|numbers|sketch|mcpb|dxt)$/i.test(
    path,
  );
