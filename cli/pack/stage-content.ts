/** Packs and uploads a skill, if it is a package, before it is published. */
import { join } from "node:path";
import { uploadPackage } from "../api/calls/uploads.ts";
import type { Client } from "../api/client.ts";
import type { ContentInput } from "../api/inputs.ts";
import type { Context } from "../context.ts";
import { withTemporaryFolder } from "../state/state.ts";
import type { SkillSource } from "./source.ts";

/** The content to publish with; a package is packed and uploaded first. `name` is shown with the progress. */
export async function stageContent(
  context: Context,
  client: Client,
  source: SkillSource,
  name = source.name,
): Promise<ContentInput> {
  if (source.format === "markdown") return { content: source.content };
  const { writeZip } = await import("./zip.ts");
  return withTemporaryFolder(context, async (folder) => {
    const packing = await context.output.progress(`Packing ${source.files.length} files of ${name}`);
    const zip = await writeZip(source.files, join(folder, "package.zip"), packing).finally(() =>
      packing.end(),
    );
    const progress = await context.output.progress(`Uploading ${source.files.length} files of ${name}`);
    try {
      return { uploadId: await uploadPackage(client, zip, progress) };
    } finally {
      progress.end();
    }
  });
}
