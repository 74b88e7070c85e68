import { limits } from "../../../contract/limits.ts";
import type { FolderPayload } from "../../../contract/payloads/organizations/folders.ts";
import { countText } from "../../../contract/text/count-text.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { openSession } from "../../state/session.ts";
import { chooseTeam } from "../../team.ts";
import { plainLine } from "../../terminal/table.ts";

const team = {
  short: "t",
  value: "required",
  hint: "id-or-slug",
  form: "organization",
  description: "Organization; not needed when you belong to one only",
} as const;

export const foldersList = defineCommand({
  positionals: {},
  flags: { team },
  examples: ["svc folders", "svc folders list -t acme -o json"],
  async run(context, args) {
    const { client } = await openSession(context);
    const chosen = args.team ?? (await chooseTeam(context, client, "Folders of which organization?"));
    const folders = await client.folders(chosen);
    return {
      data: folders.map(presentFolder),
      text: folders.length === 0 ? "No folders. Create one with svc folders create." : tree(context, folders),
    };
  },
});

export const foldersCreate = defineCommand({
  positionals: {
    path: {
      required: true,
      form: "folder",
      max: limits.folderPath,
      description: "Names or slugs, as Ops/Code review",
    },
  },
  flags: { team },
  examples: ["svc folders create ops/reviews", "svc folders create 'Ops/Code review' -t acme -o json"],
  async run(context, args) {
    const { client } = await openSession(context);
    const chosen = args.team ?? (await chooseTeam(context, client, "Create it in which organization?"));
    const made = await client.createFolder(chosen, { path: args.path, parents: true });
    const { path, created, alreadyExisted } = made;
    return {
      data: { path, created, alreadyExisted },
      text: alreadyExisted
        ? `${plainLine(path)} already exists.`
        : created.map((one) => `Created ${context.output.paint("bold", plainLine(one))}`).join("\n"),
    };
  },
});

/** A folder, as in JSON output, without its access. */
function presentFolder({ id, parentId, name, slug, path, skillCount }: FolderPayload) {
  return { id, parentId, name, slug, path, skillCount };
}

/** Folders as a tree; one with an invisible parent is at the margin, with its whole path. */
function tree(context: Context, folders: readonly FolderPayload[]): string {
  const seen = new Set(folders.map(({ id }) => id));
  const childrenOf = new Map<string | null, FolderPayload[]>();
  for (const folder of folders) {
    const parentId = folder.parentId !== null && seen.has(folder.parentId) ? folder.parentId : null;
    const siblings = childrenOf.get(parentId);
    if (siblings === undefined) childrenOf.set(parentId, [folder]);
    else siblings.push(folder);
  }
  const lines: string[] = [];
  // No recursion: folders are up to 1,000 deep.
  const open = [{ siblings: childrenOf.get(null) ?? [], at: 0 }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const folder = level.siblings[level.at++];
    if (folder === undefined) {
      open.pop();
      continue;
    }
    lines.push(`${"  ".repeat(open.length - 1)}${lineOf(context, folder, open.length === 1)}`);
    open.push({ siblings: childrenOf.get(folder.id) ?? [], at: 0 });
  }
  return lines.join("\n");
}

function lineOf(context: Context, folder: FolderPayload, isOutermost: boolean): string {
  const { paint } = context.output;
  const name = plainLine(folder.name);
  const shown = isOutermost ? folder.path : folder.slug;
  const skills = countText(folder.skillCount, "skill");
  const remarks = [
    ...(name === plainLine(shown) ? [] : [name]),
    ...(folder.skillCount === 0 ? [] : [skills]),
    ...(folder.restricted ? ["restricted"] : []),
  ];
  return `${paint("bold", `${plainLine(shown)}/`)}${remarks.length === 0 ? "" : paint("dim", `  ${remarks.join(", ")}`)}`;
}
