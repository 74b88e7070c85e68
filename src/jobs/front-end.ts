/** The files of the page's front end as the build leaves them, under names that change with their bytes. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** Beside the built service, or in the build of the checkout that it is run from. */
const folder = new URL(import.meta.url.endsWith(".ts") ? "../../dist/web/" : "../../web/", import.meta.url);

export interface FrontEndFile {
  /** Below `/assets/admin/`. */
  name: string;
  type: string;
  bytes: Buffer;
}

const types = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8" };

/** Undefined where nothing was built. */
export async function readFrontEnd(): Promise<{ script: FrontEndFile; style: FrontEndFile } | undefined> {
  try {
    const [script, style] = await Promise.all([read("js"), read("css")]);
    return { script, style };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function read(ending: keyof typeof types): Promise<FrontEndFile> {
  const bytes = await readFile(new URL(`admin.${ending}`, folder));
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return { name: `workers-${hash}.${ending}`, type: types[ending], bytes };
}
