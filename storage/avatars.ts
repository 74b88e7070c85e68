/** Pictures of organizations, encoded by the service. A tenant's document names the one in use. */
import { Binary, type IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { removeSlice } from "./slices.ts";

interface AvatarDoc {
  _id: string;
  tenantId: string;
  bytes: Binary;
  createdAt: Date;
}

export const avatarIndexes: IndexDescription[] = [{ key: { tenantId: 1 } }, { key: { createdAt: 1 } }];

export type Avatars = ReturnType<typeof openAvatars>;

export function openAvatars(database: Database) {
  const avatars = database.collection<AvatarDoc>("avatars");
  return {
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
    removeOfTenant: (tenantId: string) => removeSlice(avatars, { tenantId }),
  };
}
