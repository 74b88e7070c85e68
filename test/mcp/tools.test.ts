/** The tools of the MCP server, by clients of both generations, which check each result by the tool's output schema. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { DiffPayload } from "../../contract/payloads/skills/skills.ts";
import { callOk, callTool, openClients, type AnyClient, type ToolAnswer } from "../support/mcp/client.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const { service } = await setUpService();
const { owner, org } = await newOrganization(service);
const clients = await openClients(service, owner.token);
const visitors = await openClients(service);

after(async () => {
  for (const [, client] of [...clients, ...visitors]) await client.close();
});

const packageFiles = [
  { path: "SKILL.md", content: "---\nname: deploy\ndescription: Deploys the site\n---\n\n# Deploy\n" },
  { path: "scripts/run.sh", content: "echo ü\n", executable: true },
  { path: "logo.png", contentBase64: Buffer.from([0x89, 0x50, 0, 0xff]).toString("base64") },
];

interface Outcome {
  dryRun: boolean;
  action: string;
  unchanged: boolean;
  skill: string;
  publicId: string | null;
  semver: string;
  changed: { path: string; status: string }[];
  findings: { rule: string }[];
}

describe("publishing by tools", () => {
  it("creates a text, appends versions, and reports findings and changes", async () => {
    for (const [era, client] of clients) {
      const name = `Notes ${era}`;
      const dry = await callOk<Outcome>(client, "publish_skill", {
        organization: org.slug,
        name,
        content: "# Notes\n",
        dryRun: true,
      });
      assert.deepEqual([dry.data.action, dry.data.dryRun, dry.data.publicId], ["created", true, null]);
      const made = await callOk<Outcome>(client, "publish_skill", {
        organization: org.slug,
        name,
        content: "# Notes\n",
        message: "by an agent",
      });
      assert.deepEqual([made.data.action, made.data.semver], ["created", "1.0.0"]);
      assert.deepEqual(made.data.changed, [{ path: "SKILL.md", status: "added" }]);
      const { skill } = made.data;

      const again = await callOk<Outcome>(client, "publish_version", {
        skill,
        content: "# Notes\n",
        ifChanged: true,
      });
      assert.equal(again.data.unchanged, true);
      const planned = await callOk<Outcome>(client, "publish_version", {
        skill,
        content: "# More\n",
        dryRun: true,
      });
      assert.deepEqual([planned.data.semver, planned.data.unchanged], ["1.0.1", false]);
      const next = await callOk<Outcome>(client, "publish_version", {
        skill,
        content: "# More\n",
        bump: "minor",
      });
      assert.equal(next.data.semver, "1.1.0");
      assert.deepEqual(next.data.changed, [{ path: "SKILL.md", status: "modified" }]);

      const versions = await service.call<{ source: string; message: string }[]>(
        "GET",
        `/api/skills/${made.data.publicId}/versions`,
        { token: owner.token },
      );
      assert.deepEqual(
        versions.data.map(({ source }) => source),
        ["mcp", "mcp"],
      );
    }
  });

  it("refuses in a dry run what the call would refuse, and names the version that it would make", async () => {
    const [[, client]] = clients as [[string, AnyClient]];
    await service.call("POST", `/api/tenants/${org.slug}/mcp-servers`, {
      token: owner.token,
      body: { name: "Search", transport: "http", url: "https://mcp.example.com/mcp" },
    });
    const given = { organization: org.slug, name: "Pinned", content: "# Pinned\n", dryRun: true };
    const requires = (slug: string) => ({ requiredMcpServers: [{ tenantSlug: org.slug, slug }] });
    const codeOf = async (name: string, input: object) =>
      (await callTool(client, name, { ...input })).error?.code;

    assert.equal(await codeOf("publish_skill", { ...given, ...requires("no-such") }), "not_found");
    const open = { ...given, visibility: "public", ...requires("search") };
    assert.equal(await codeOf("publish_skill", open), "refused");
    assert.equal(await codeOf("publish_skill", { ...given, semver: "v2" }), "invalid_request");
    assert.equal(await codeOf("publish_skill", { ...given, semver: "2.0.0-rc.1" }), "refused");
    const wanted = { ...given, ...requires("search"), semver: "2.0.0" };
    assert.equal((await callOk<Outcome>(client, "publish_skill", wanted)).data.semver, "2.0.0");
    const { skill, semver } = (await callOk<Outcome>(client, "publish_skill", { ...wanted, dryRun: false }))
      .data;
    assert.equal(semver, "2.0.0");

    assert.equal(await codeOf("publish_skill", wanted), "version_not_greater");
    const next = { skill, content: "# More\n", dryRun: true };
    assert.equal(await codeOf("publish_version", { ...next, ...requires("no-such") }), "not_found");
    const planned = await callOk<Outcome>(client, "publish_version", { ...next, ...requires("search") });
    assert.equal(planned.data.semver, "2.0.1");
  });

  it("takes the files of a package, and changes of single ones", async () => {
    const [[, client]] = clients as [[string, AnyClient]];
    const made = await callOk<Outcome>(client, "publish_skill", {
      organization: org.slug,
      files: packageFiles,
    });
    assert.equal(made.data.skill, `${org.slug}/deploy`);
    const zip = await service.raw("GET", `/api/skills/${made.data.publicId}/package`, { token: owner.token });
    assert.equal(zip.status, 200);
    const changes = [
      { path: "scripts/run.sh", content: "echo 2\n" },
      { path: "logo.png", delete: true },
    ];
    const skill = made.data.skill;

    const plan = await callOk<Outcome>(client, "publish_version", { skill, base: 1, changes, dryRun: true });
    assert.equal(plan.data.semver, "1.0.1");
    const edited = await callOk<Outcome>(client, "publish_version", { skill, base: 1, changes });
    assert.deepEqual(edited.data.changed, [
      { path: "logo.png", status: "removed" },
      { path: "scripts/run.sh", status: "modified" },
    ]);
    const secret = await callOk<Outcome>(client, "publish_version", {
      skill,
      files: [...packageFiles, { path: ".env", content: "A=1\n" }],
      dryRun: true,
    });
    assert.ok(secret.data.findings.some(({ rule }) => rule === "secret_file"));
    assert.deepEqual(
      secret.data.changed.map(({ path }) => path),
      ["scripts/run.sh", "logo.png", ".env"],
    );
    const stale = await callTool(client, "publish_version", { skill, base: 1, changes });
    assert.equal(stale.error?.code, "conflict");
    for (const path of ["../up", "/etc/passwd", "a\\b", ".git/config"]) {
      const bad = await callTool(client, "publish_version", {
        skill,
        files: [...packageFiles, { path, content: "x" }],
      });
      assert.equal(bad.error?.code, "package_invalid", path);
    }
  });

  it("updates, moves and reverts as REST does", async () => {
    const [[, client]] = clients as [[string, AnyClient]];
    const skill = `${org.slug}/deploy`;
    await service.call("POST", `/api/tenants/${org.slug}/folders`, {
      token: owner.token,
      body: { path: "ops" },
    });

    const dry = await callOk<{ visibility: string; readers: object }>(client, "update_skill", {
      skill,
      visibility: "public",
      dryRun: true,
    });
    assert.ok(dry.data.readers);
    await callOk(client, "update_skill", { skill, visibility: "public", tags: ["Ops"] });
    const moved = await callOk<{ moved: boolean; to: { path: string } }>(client, "move_skill", {
      skill,
      folder: "ops",
    });
    assert.deepEqual([moved.data.moved, moved.data.to.path], [true, "ops"]);
    await callOk(client, "revert_skill", { skill, version: 1 });

    const { data } = await service.call<{ tags: string[]; visibility: string; currentVersion: number }>(
      "GET",
      `/api/skills/${org.slug}~deploy`,
    );
    assert.deepEqual([data.tags, data.visibility, data.currentVersion], [["ops"], "public", 1]);
    const nothing = await callTool(client, "update_skill", { skill, dryRun: true });
    assert.equal(nothing.error?.code, "invalid_request");
  });
});

describe("reading by tools", () => {
  it("describes a skill with its files and tokens", async () => {
    for (const [era, client] of [...clients, ...visitors]) {
      const { data } = await callOk<{ files: { path: string }[]; tokens: number; root: string }>(
        client,
        "get_skill",
        {
          skill: `${org.slug}/deploy`,
        },
      );
      assert.deepEqual(
        data.files.map(({ path }) => path),
        ["SKILL.md", "logo.png", "scripts/run.sh"],
        era,
      );
      assert.deepEqual([data.root, data.tokens > 5], ["SKILL.md", true]);
    }
  });

  it("reads texts in parts that lose nothing, and links to other files", async () => {
    const warnings: string[] = [];
    const record = ({ message }: Error) => warnings.push(message);
    process.on("warning", record);
    const text = `---\nname: long\ndescription: Long\n---\n\n${"äöü€😀 ".repeat(6000)}\n`;
    const [[, client]] = clients as [[string, AnyClient]];
    await callOk(client, "publish_skill", { organization: org.slug, name: "long", content: text });
    for (const [era, reader] of clients) {
      let whole = "";
      let offset: number | null = 0;
      let parts = 0;
      while (offset !== null) {
        const input = { skill: `${org.slug}/long`, offset };
        const part: ToolAnswer<{ text: string; nextOffset: number | null }> = await callOk(
          reader,
          "read_skill",
          input,
        );
        assert.ok(Buffer.byteLength(part.data.text) <= limits.mcpResultBytes.default, era);
        whole += part.data.text;
        offset = part.data.nextOffset;
        parts++;
      }
      assert.equal(whole, text);
      assert.ok(parts > 3);
      const more = await callOk<{ nextOffset: null }>(reader, "read_skill", {
        skill: `${org.slug}/long`,
        maxBytes: 500_000,
      });
      assert.equal(more.data.nextOffset, null);
      const image = await callOk<{ text: null }>(reader, "read_skill", {
        skill: `${org.slug}/deploy`,
        path: "logo.png",
      });
      assert.equal(image.data.text, null);
      assert.equal(image.links[0]?.uri, `skill://${org.slug}/deploy/logo.png`);
      const behind = await callTool(reader, "read_skill", { skill: `${org.slug}/long`, offset: 10_000_000 });
      assert.equal(behind.error?.code, "invalid_request");
    }
    process.off("warning", record);
    assert.deepEqual(warnings, [], "a leak");
  });

  it("counts the first part of a skill as a download by the API", async () => {
    const [[, client]] = clients as [[string, AnyClient]];
    await callOk(client, "publish_skill", {
      organization: org.slug,
      name: "counted",
      content: "# Counted\n",
    });
    await callOk(client, "read_skill", { skill: `${org.slug}/counted` });
    await until("the download is counted", async () => {
      const { data } = await service.call<{ total: number; daily: { api: number }[] }>(
        "GET",
        `/api/skills/${org.slug}~counted/analytics`,
        { token: owner.token },
      );
      return data.total === 1 && data.daily.at(-1)!.api === 1;
    });
  });

  it("lists versions and compares them with the patch of REST", async () => {
    const skill = `${org.slug}/deploy`;
    const patch = await service.raw("GET", `/api/skills/${org.slug}~deploy/diff?from=1&to=2`, {
      headers: { accept: "text/x-diff" },
    });
    const expected = await patch.text();
    const json = await service.call<DiffPayload>("GET", `/api/skills/${org.slug}~deploy/diff?from=1&to=2`);
    for (const [era, client] of clients) {
      const first = await callOk<{ versions: { version: number }[]; nextCursor: string }>(
        client,
        "list_versions",
        {
          skill,
          limit: 1,
        },
      );
      const rest = await callOk<{ versions: { version: number }[] }>(client, "list_versions", {
        skill,
        cursor: first.data.nextCursor,
      });
      assert.deepEqual(
        [...first.data.versions, ...rest.data.versions].map(({ version }) => version),
        [2, 1],
        era,
      );
      const diff = await callOk<{ patch: string }>(client, "diff_versions", { skill, from: "1", to: "2" });
      assert.equal(diff.data.patch, expected);
      assert.ok(json.data.files.every(({ path }) => diff.data.patch.includes(path)));
    }
  });

  it("lists folders, and the caller", async () => {
    for (const [era, client] of clients) {
      const { data } = await callOk<{ folders: { path: string }[] }>(client, "list_folders", {
        organization: org.slug,
      });
      assert.deepEqual(
        data.folders.map(({ path }) => path),
        ["ops"],
        era,
      );
      const rest = await service.call("GET", "/api/user/profile", { token: owner.token });
      const self = await callOk(client, "whoami", {});
      assert.deepEqual(self.data, rest.data);
    }
  });
});
