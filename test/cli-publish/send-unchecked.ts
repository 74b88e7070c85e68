/** Sends a skill to the service without the checks of `svc`, so that only the service can refuse it. */
import { readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { uploadPackage } from "../../cli/api/calls/uploads.ts";
import { openClient } from "../../cli/api/client.ts";
import { readPackageFolder } from "../../cli/pack/folder.ts";
import { frontmatterName } from "../../cli/pack/frontmatter.ts";
import { writeZip } from "../../cli/pack/zip.ts";

/** Returns the error's message, or undefined if the service accepted the file or folder. */
export async function sendUnchecked(
  { apiUrl, token, team }: { apiUrl: string; token: string; team: string },
  path: string,
): Promise<string | undefined> {
  const client = openClient({ baseUrl: apiUrl, token, userAgent: "test", sleep: async () => {}, env: {} });
  const head = { mode: "upsert", tenantId: team } as const;
  const named = async (text: string, otherwise: string) => (await frontmatterName(text)) ?? otherwise;
  try {
    if ((await stat(path)).isDirectory()) {
      const name = await named(await readFile(join(path, "SKILL.md"), "utf8"), basename(path));
      const file = `${path}.zip`;
      const zip = await writeZip((await readPackageFolder(path, "linux")).files, file);
      const uploadId = await uploadPackage(client, zip, { update() {}, end() {} });
      await rm(file);
      await client.publish({ ...head, name, uploadId });
    } else {
      const bytes = await readFile(path);
      const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      await client.publish({ ...head, name: await named(content, basename(path, ".md")), content });
    }
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}
