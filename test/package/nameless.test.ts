/** Packages without name, description or frontmatter: accepted alike by the API, by MCP and by the sync. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ManifestPayload, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { callOk, openClients } from "../support/mcp/client.ts";
import { listSkills, setUpSyncFixtures, type SyncFixture } from "../support/sync/fixture.ts";
import { makeZip } from "../support/zip.ts";

const { service, withFixture } = await setUpSyncFixtures();

interface Publication {
  id: string;
  warnings: string[];
}

async function byApi({ owner, org }: SyncFixture, root: string): Promise<Publication> {
  const zip = makeZip([
    { name: "SKILL.md", data: root },
    { name: "notes.md", data: "Notes.\n" },
  ]);
  const uploadId = await service.upload(owner, zip);
  const body = { tenantId: org.slug, name: "by-api", uploadId };
  const made = await service.call<{ skill: { publicId: string }; warnings: string[] }>(
    "POST",
    "/api/skills",
    {
      token: owner.token,
      body,
    },
  );
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { id: made.data.skill.publicId, warnings: made.data.warnings };
}

async function byMcp({ owner, org }: SyncFixture, root: string): Promise<Publication> {
  const clients = await openClients(service, owner.token);
  try {
    const { data } = await callOk<{ publicId: string; warnings: string[] }>(clients[0]![1], "publish_skill", {
      organization: org.slug,
      name: "by-mcp",
      files: [
        { path: "SKILL.md", content: root },
        { path: "notes.md", content: "Notes.\n" },
      ],
    });
    return { id: data.publicId, warnings: data.warnings };
  } finally {
    for (const [, client] of clients) await client.close();
  }
}

async function bySync(fixture: SyncFixture, root: string): Promise<string> {
  fixture.copy.write("skills/by-sync/SKILL.md", root);
  fixture.copy.write("skills/by-sync/notes.md", "Notes.\n");
  fixture.copy.push();
  assert.equal(await fixture.sync(), "done");
  const found = (await listSkills(fixture)).find(({ slug }) => slug === "by-sync");
  assert.ok(found, "the directory is a skill");
  fixture.copy.update();
  assert.equal(fixture.copy.read("skills/by-sync/SKILL.md"), root, "the sync changes no byte of a package");
  return found.id;
}

const cases: [what: string, root: string, description: string, warnings: RegExp[]][] = [
  ["a name", "---\ndescription: Counts lines.\n---\n\nCount the lines.\n", "Counts lines.", [/has no name/]],
  ["a description", "---\nname: kit\n---\n\nCount the lines.\n", "Count the lines.", [/has no description/]],
  ["frontmatter", "# Count\n\nCount the lines.\n", "Count the lines.", [/has no frontmatter/]],
];

describe("a package without", () => {
  for (const [what, root, description, warnings] of cases)
    it(`${what} is a skill with its first paragraph as description, however it is published`, () =>
      withFixture(async (fixture) => {
        const api = await byApi(fixture, root);
        const mcp = await byMcp(fixture, root);
        const synced = await bySync(fixture, root);

        assert.equal(api.warnings.length, warnings.length);
        for (const [at, expected] of warnings.entries()) assert.match(api.warnings[at]!, expected);
        assert.deepEqual(mcp.warnings, api.warnings);
        for (const id of [api.id, mcp.id, synced]) {
          const { token } = fixture.owner;
          const skill = await service.call<SkillPayload>("GET", `/api/skills/${id}`, { token });
          assert.equal(skill.data.description, description);
          const manifest = await service.call<ManifestPayload>("GET", `/api/skills/${id}/manifest`, {
            token,
          });
          assert.deepEqual(
            manifest.data.files.map(({ path }) => path),
            ["SKILL.md", "notes.md"],
          );
        }
      }));
});
