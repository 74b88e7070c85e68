/** Actions of the service's administrators on a skill. */
import assert from "node:assert/strict";
import type { TestService, TestUser } from "./service.ts";

export async function moderate(
  service: TestService,
  administrator: TestUser,
  act: "take-down" | "lift-takedown",
  { publicId }: { publicId: string },
): Promise<void> {
  const done = await service.call("POST", `/api/admin/skills/${publicId}/${act}`, {
    token: administrator.token,
    body: { reason: "Phishing" },
  });
  assert.equal(done.status, 200, JSON.stringify(done.body));
}
