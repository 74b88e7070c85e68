/** The files of the dashboard as the build leaves them: the page's HTML, and its assets with compressed copies. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Next to the built service, or in the build of the checkout that it is run from. */
export const frontEndFolder = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../dist/web/app/" : "../../../web/app/", import.meta.url),
);
const types: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const encodings = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

export interface Asset {
  type: string;
  /** Names of the encodings that the build made, best first. */
  encodings: string[];
}

export interface FrontEnd {
  /** HTML of every page, with `__CSP_NONCE__` in place of the nonce. */
  page: string;
  /** Assets by their names below `/assets/app/`. */
  assets: ReadonlyMap<string, Asset>;
}

/** Reads the page and the names of the assets; undefined if the dashboard was not built. */
export async function readFrontEnd(): Promise<FrontEnd | undefined> {
  try {
    const [page, names] = await Promise.all([
      readFile(path.join(frontEndFolder, "index.html"), "utf8"),
      readdir(path.join(frontEndFolder, "assets", "app")),
    ]);
    const present = new Set(names);
    const assets = names.flatMap((name): [string, Asset][] => {
      const type = types[path.extname(name)];
      if (type === undefined) return [];
      const made = encodings.filter(({ ending }) => present.has(name + ending));
      return [[name, { type, encodings: made.map((encoding) => encoding.name) }]];
    });
    return { page, assets: new Map(assets) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Bytes of an asset that `readFrontEnd` listed, in one of its encodings or plain. */
export function readAsset(name: string, encoding: string | undefined): Promise<Buffer> {
  const ending = encodings.find((known) => known.name === encoding)?.ending ?? "";
  return readFile(path.join(frontEndFolder, "assets", "app", name + ending));
}
