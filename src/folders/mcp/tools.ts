/** Folders for agents. */
import { z } from "zod";
import { FolderPayload } from "../../../contract/payloads/organizations/folders.ts";
import { countText } from "../../../contract/text/count-text.ts";
import type { App } from "../../app.ts";
import { itemsThatFit } from "../../mcp/tools/bounds.ts";
import { tool, type Tool } from "../../mcp/tools/tool.ts";
import { TenantParams } from "../../orgs/schema.ts";
import { loadTenant } from "../../orgs/service.ts";
import { listFolders } from "../list.ts";
import { presentFolder } from "../present.ts";
import { FoldersQuery } from "../schema.ts";

export function folderTools(app: App): Tool[] {
  return [
    tool({
      name: "list_folders",
      title: "List folders",
      description:
        "Lists the folders of an organization that the caller may see, by path, with what the caller may do in each.",
      input: z.strictObject({
        organization: TenantParams.shape.tenant,
        parentId: FoldersQuery.shape.parent_id.meta({
          description: "only folders in this one; root: at the top",
        }),
        offset: z.number().int().min(0).default(0).meta({ description: "nextOffset of the result before" }),
      }),
      output: z.object({
        folders: z.array(FolderPayload.required({ can: true })),
        nextOffset: z.number().int().nullable().meta({ description: "offset of the rest; null: no more" }),
      }),
      effect: "read",
      needs: ["skill:read", "skill:create", "folder:create", "folder:update", "folder:delete"],
      async handle({ actor, input }) {
        const tenant = await loadTenant(app, actor, input.organization, "member");
        const parentId = input.parentId === "root" ? null : input.parentId;
        const { folders, describe } = await listFolders(app, actor, tenant._id, parentId);
        const all = await describe(folders);
        const { items, nextOffset } = itemsThatFit(all.map(presentFolder), input.offset);
        const lines = items.map((folder) => {
          const facts = [countText(folder.skillCount, "skill"), ...(folder.restricted ? ["restricted"] : [])];
          return `- ${folder.path} (${facts.join(", ")})`;
        });
        return { data: { folders: items, nextOffset }, text: lines.join("\n") || "There are no folders." };
      },
    }),
  ];
}
