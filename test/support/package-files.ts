/** A package with files of several kinds, for the tests that read and compare them. */
import assert from "node:assert/strict";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import type { TestOrg, TestService, TestUser } from "./service.ts";
import { makeZip, skillMd } from "./zip.ts";

export const packageFiles: Record<string, Buffer> = {
  "SKILL.md": Buffer.from(skillMd("reading")),
  "docs/übersicht & mehr?#.md": Buffer.from("# Übersicht\n"),
  "docs/100% sure+.txt": Buffer.from("sure\n"),
  "data/空 白.bin": Buffer.from([0, 1, 2, 255]),
  "page.html": Buffer.from("<script>alert(1)</script>"),
  "image.svg": Buffer.from("<svg/>"),
  "config.json": Buffer.from("{}"),
  run: Buffer.from("#!/bin/sh\n"),
};
export const zipOf = (content: Record<string, Buffer>) =>
  makeZip(
    Object.entries(content).map(([name, data]) => ({
      name,
      data,
      mode: name === "run" ? 0o100755 : 0o100644,
    })),
  );

let sequence = 0;

/** Publishes a package as a new skill of an organization. */
export async function publishPackage(
  service: TestService,
  user: TestUser,
  org: TestOrg,
  fields: object = {},
  content = packageFiles,
): Promise<PublishResult> {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: user.token,
    body: {
      tenantId: org.slug,
      name: `reading ${++sequence}`,
      uploadId: await service.upload(user, zipOf(content)),
      ...fields,
    },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data;
}
