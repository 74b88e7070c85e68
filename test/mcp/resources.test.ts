/** Skills as resources, and prompts, by clients of both generations. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, describe, it } from "node:test";
import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { callOk, openModernClient } from "../support/mcp/client.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { makePackage } from "../support/zip.ts";

const files = [
  { path: "SKILL.md", content: "---\nname: tools\ndescription: Uses tools\n---\n\n# Tools\n" },
  { path: "a b/ü.txt", content: "text\n" },
  { path: "a b/x.constructor", content: "x\n" },
  { path: "image.png", contentBase64: Buffer.from([1, 0, 2]).toString("base64") },
];

const { service } = await setUpService();
const { owner, org } = await newOrganization(service);
const member = await openModernClient(service, owner.token);
const visitor = await openModernClient(service);
await callOk(member, "publish_skill", { organization: org.slug, files });
await callOk(member, "publish_skill", {
  organization: org.slug,
  name: "Rule",
  type: "rule",
  content: "# R\n",
});

after(async () => {
  await member.close();
  await visitor.close();
});

const Entry = z.object({
  uri: z.string(),
  frontmatter: z.record(z.string(), z.unknown()),
  resources: z.array(z.object({ uri: z.string(), digest: z.string(), size: z.number() })),
});

describe("the Skills extension", () => {
  it("lists skills with the digests of their files, which are those of the bytes that are read", async () => {
    const listed = await member.request(
      { method: "skills/list", params: {} },
      z.looseObject({ skills: z.array(Entry), ttlMs: z.number(), cacheScope: z.string() }),
    );
    assert.deepEqual([listed.skills.length, listed.cacheScope, listed.ttlMs], [1, "private", 60_000]);
    const [entry] = listed.skills;
    assert.deepEqual(entry!.frontmatter, { name: "tools", description: "Uses tools" });
    for (const resource of entry!.resources) {
      const { contents } = await member.readResource({ uri: resource.uri });
      const [content] = contents as { text?: string; blob?: string }[];
      const bytes =
        content!.text === undefined ? Buffer.from(content!.blob!, "base64") : Buffer.from(content!.text);
      assert.equal(
        `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
        resource.digest,
        resource.uri,
      );
      assert.equal(bytes.length, resource.size);
    }
    const got = await member.request(
      { method: "skills/get", params: { uri: entry!.uri } },
      z.looseObject({ skill: Entry }),
    );
    assert.deepEqual(got.skill, entry);
  });

  it("has a template for files, and a note in place of the files of a large skill", async () => {
    const { resourceTemplates } = await member.listResourceTemplates();
    assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === "skill://{org}/{slug}/{+path}"));
    const large = makePackage("large", { "data.bin": Buffer.alloc(limits.mcpResourceBytes + 1) });
    const published = await service.call("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.id, uploadId: await service.upload(owner, large) },
    });
    assert.equal(published.status, 201, published.error);

    const { skill } = await member.request(
      { method: "skills/get", params: { uri: `skill://${org.slug}/large/SKILL.md` } },
      z.looseObject({ skill: Entry.loose() }),
    );

    assert.deepEqual(
      skill.resources.map(({ uri }) => uri),
      [`skill://${org.slug}/large/SKILL.md`],
    );
    assert.match(JSON.stringify(skill["_meta"]), new RegExp(`svc install ${org.slug}/large`));
  });

  it("reads directories", async () => {
    const page = z.looseObject({
      resources: z.array(z.looseObject({ name: z.string(), mimeType: z.string() })),
    });
    const uri = `skill://${org.slug}/tools`;
    const root = await member.request({ method: "resources/directory/read", params: { uri } }, page);
    assert.deepEqual(
      root.resources.map(({ name }) => name),
      ["SKILL.md", "a b", "image.png"],
    );
    const inner = await member.request(
      { method: "resources/directory/read", params: { uri: `${uri}/a%20b` } },
      page,
    );
    assert.deepEqual(
      inner.resources.map(({ name }) => name),
      ["x.constructor", "ü.txt"],
    );
  });

  it("hides from others what it does not exist for", async () => {
    const stranger = await openModernClient(service, (await service.newUser()).token);
    const messages = await Promise.all(
      [`skill://${org.slug}/tools/SKILL.md`, `skill://${org.slug}/none0/SKILL.md`].map((uri) =>
        stranger.readResource({ uri }).then(
          () => assert.fail("was read"),
          (error: Error) => error.message.replace("none0", "tools"),
        ),
      ),
    );
    assert.equal(messages[0], messages[1]);
    await assert.rejects(
      visitor.readResource({ uri: `skill://${org.slug}/tools/SKILL.md` }),
      /401|public skill/,
    );
    for (const uri of [
      "skill://../x/y",
      `skill://${org.slug}/tools/../../x`,
      "file:///etc/passwd",
      "skill://",
    ])
      await assert.rejects(member.readResource({ uri }), uri);
    await stranger.close();
  });
});

describe("prompts", () => {
  it("load a skill, complete its name, and state the rules", async () => {
    const used = await member.getPrompt({ name: "use-skill", arguments: { skill: `${org.slug}/tools` } });
    assert.match(JSON.stringify(used.messages), /# Tools/);
    const { completion } = await member.complete({
      ref: { type: "ref/prompt", name: "use-skill" },
      argument: { name: "skill", value: "" },
    });
    assert.ok(completion.values.includes(`${org.slug}/tools`));
    const rules = await member.getPrompt({ name: "write-a-skill", arguments: { organization: org.slug } });
    assert.match(JSON.stringify(rules.messages), /You may publish outside of folders/);
    await assert.rejects(member.getPrompt({ name: "use-skill", arguments: {} }), /needs/);
  });
});
