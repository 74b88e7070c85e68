/** Public skills of an organization, as other clients read them. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import type { TestOrg, TestService, TestUser } from "../support/service.ts";
import { newOrganization } from "../support/set-up.ts";
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

/** Reads of addresses without credentials. */
export function openReader(service: TestService) {
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const response = await service.raw("GET", path, { headers });
    return {
      status: response.status,
      headers: response.headers,
      bytes: new Uint8Array(await response.arrayBuffer()),
    };
  };
  const readIndex = async (address: string): Promise<IndexedSkill[]> => {
    const { status, bytes } = await read(indexPath(address));
    assert.ok(status === 200 || status === 404, `${address}: ${status} ${textOf(bytes)}`);
    if (status === 404) return [];
    const { $schema, skills } = JSON.parse(textOf(bytes)) as { $schema: string; skills: IndexedSkill[] };
    assert.equal($schema, "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    return skills;
  };
  return {
    read,
    readIndex,
    namesIn: async (address: string) => (await readIndex(address)).map(({ name }) => name).toSorted(),
    /** An organization of its own, so that the index has what a test publishes. */
    ownFixture: async (): Promise<ReachFixture> => ({ service, ...(await newOrganization(service)) }),
  };
}

export const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");
