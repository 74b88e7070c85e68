/** Pictures of organizations, encoded by the service. A tenant's document names the one in use. */
import { type Collection, Binary } from "mongodb";
import { defineCollection } from "../collection.ts";

interface AvatarDoc {
  _id: string;
  tenantId: string;
  bytes: Binary;
  createdAt: Date;
}

export const avatarsCollection = defineCollection({
  name: "avatars",
  indexes: [{ key: { tenantId: 1 } }, { key: { createdAt: 1 } }],
  open: (avatars: Collection<AvatarDoc>) => ({
    async insert(avatar: { _id: string; tenantId: string; bytes: Buffer; createdAt: Date }): Promise<void> {
      await avatars.insertOne({ ...avatar, bytes: new Binary(avatar.bytes) });
    },
    async findBytes(id: string): Promise<Buffer | undefined> {
      const found = await avatars.findOne({ _id: id }, { promoteBuffers: false });
      return found ? Buffer.from(found.bytes.buffer) : undefined;
    },
    async remove(id: string): Promise<void> {
      await avatars.deleteOne({ _id: id });
    },
    /** Avatars created before a time, in slices. */
    async *eachBefore(time: Date): AsyncGenerator<{ _id: string; tenantId: string }> {
      const rows = avatars.find({ createdAt: { $lt: time } }, { projection: { tenantId: 1 } });
      for await (const { _id, tenantId } of rows) yield { _id, tenantId };
    },
  }),
});
