/** Sizes of large organizations, which take too long to count for each page that shows them. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";

export interface OrganizationSizeDoc {
  /** The organization's id. */
  _id: string;
  members: number;
  skills: number;
  countedAt: Date;
}

export const organizationSizesCollection = defineCollection({
  name: "organization_sizes",
  open: (sizes: Collection<OrganizationSizeDoc>) => ({
    list: (tenantIds: string[]) => sizes.find({ _id: { $in: tenantIds } }).toArray(),
    async put({ _id, ...size }: OrganizationSizeDoc): Promise<void> {
      await sizes.updateOne({ _id }, { $set: size }, { upsert: true });
    },
    async remove(tenantId: string): Promise<void> {
      await sizes.deleteOne({ _id: tenantId });
    },
  }),
});
