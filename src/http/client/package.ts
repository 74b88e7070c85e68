/** The npm packages of svc and of the API client, and the installer, as the build leaves them. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** Next to the built service, or in the build of the checkout that it is run from. */
const folder = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/package/" : "../../../package/",
  import.meta.url,
);

export interface NpmPackage {
  bytes: Buffer;
  /** Hexadecimal SHA-256 of `bytes`. */
  sha256: string;
}

/** The package of svc, and what is offered with it. */
export interface ClientPackage extends NpmPackage {
  /** The package of the typed client of the API. */
  api: NpmPackage;
  /** Shell script with `@BASE_URL@` in place of the address of the service, as a shell word. */
  installer: string;
}

let found: Promise<ClientPackage | undefined> | undefined;

/** Undefined if it was not built. Read once: a new build is served by the next process. */
export async function readClientPackage(): Promise<ClientPackage | undefined> {
  found ??= read();
  try {
    const files = await found;
    if (!files) found = undefined;
    return files;
  } catch (error) {
    found = undefined;
    throw error;
  }
}

async function read(): Promise<ClientPackage | undefined> {
  try {
    const [bytes, apiBytes, installer] = await Promise.all([
      readFile(new URL("svc.tgz", folder)),
      readFile(new URL("svc-client.tgz", folder)),
      readFile(new URL("install.sh", folder), "utf8"),
    ]);
    const api = { bytes: apiBytes, sha256: sha256Of(apiBytes) };
    return { bytes, sha256: sha256Of(bytes), api, installer };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export const sha256Of = (content: Buffer | string) => createHash("sha256").update(content).digest("hex");
