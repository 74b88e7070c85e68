/** Public skills of an organization, as other clients read them. */
import { createHash } from "node:crypto";
import type { PublishResult } from "../../contract/payloads/skills.ts";
import type { TestOrg, TestService, TestUser } from "../support/service.ts";
import { makePackage } from "../support/zip.ts";

export interface IndexedSkill {
  name: string;
  type: string;
  description: string;
  url: string;
  digest: string;
  version: string;
}

export interface ReachFixture {
  service: TestService;
  owner: TestUser;
  org: TestOrg;
}

/** A package with a script, public unless the fields say otherwise. */
export async function publishPackage(
  { service, owner, org }: ReachFixture,
  name: string,
  {
    files = { "scripts/run.sh": "echo hi\n" },
    ...fields
  }: { files?: Record<string, string | Buffer>; [field: string]: unknown } = {},
): Promise<PublishResult["skill"]> {
  const uploadId = await service.upload(owner, makePackage(name, files));
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.slug, uploadId, visibility: "public", ...fields },
  });
  if (made.status >= 300) throw new Error(`publishing ${name} failed: ${JSON.stringify(made.body)}`);
  return made.data.skill;
}

/** The next version of a package. */
export async function pushPackage(
  { service, owner }: ReachFixture,
  skillId: string,
  name: string,
  files: Record<string, string | Buffer>,
): Promise<void> {
  const uploadId = await service.upload(owner, makePackage(name, files));
  const made = await service.call("POST", `/api/skills/${skillId}/versions`, {
    token: owner.token,
    body: { uploadId },
  });
  if (made.status !== 201) throw new Error(`pushing ${name} failed: ${JSON.stringify(made.body)}`);
}

export const sha256 = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export const indexPath = (address: string, form = "agent-skills") =>
  `${address}/.well-known/${form}/index.json`;
