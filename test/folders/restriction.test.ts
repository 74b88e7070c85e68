import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CommandStartedEvent } from "mongodb";
import type { FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { CatalogItem, PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { governed, newFolder, newMember, restrict, publishSkill } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization({ reportsCommands: true });
const stranger = await service.newUser();
const member = await newMember(service, org, "member");
const granted = await newMember(service, org, "member");
const vault = await newFolder(service, org, owner, "open/vault");
const deep = await newFolder(service, org, owner, "open/vault/deep");
/** A public skill in the restricted folder. */
const hidden = await publish("Quarterly numbers", "open/vault/deep", "public");
const unrestricted = await publish("Quarterly letters", "open", "public");
await restrict(service, owner, vault.id, [{ type: "member", id: granted.id, level: "viewer" }]);
await governed(service, org);

function publish(name: string, folder: string, visibility: string, token = owner.token) {
  const content = `# ${name}\nrevenue figures\n`;
  return publishSkill(service, org, { token }, { name, content, folder, visibility });
}

const list = async (token: string | undefined, query = "") =>
  (await service.call<SkillPayload[]>("GET", `/api/skills?limit=200${query}`, { token })).data.map(
    (skill) => skill.slug,
  );
const explore = async (token: string | undefined, query = "") =>
  (await service.call<CatalogItem[]>("GET", `/api/explore?limit=200${query}`, { token })).data.map(
    (item) => item.slug,
  );

/** Every request that reads one skill; `ref` is encoded for use in a path. */
const reads = (ref: string): [string, string, unknown?][] => [
  ["GET", `/api/skills/${ref}`],
  ["GET", `/api/skills/${ref}/versions`],
  ["GET", `/api/skills/${ref}/versions/1`],
  ["GET", `/api/skills/${ref}/content`],
  ["GET", `/api/skills/${ref}/content?version=1`],
  ["GET", `/api/skills/${ref}/package`],
  ["GET", `/api/skills/${ref}/manifest`],
  ["GET", `/api/skills/${ref}/files/SKILL.md`],
  ["GET", `/api/skills/${ref}/diff?from=1&to=1`],
  ["GET", `/api/skills/${ref}/analytics`],
  ["PUT", `/api/skills/${ref}`, { description: "x" }],
  ["DELETE", `/api/skills/${ref}`],
  ["POST", `/api/skills/${ref}/versions`, { content: "new\n" }],
  ["POST", `/api/skills/${ref}/revert`, { version: 1 }],
  ["POST", `/api/skills/${ref}/move`, { folder: "/" }],
];

describe("a skill in a restricted folder", () => {
  it("looks nonexistent to a member without a grant, by every reference and every request", async () => {
    const real = [hidden.id, hidden.publicId, `${org.slug}~${hidden.slug}`];
    const made_up = [service.app.newId(), "Zz0Zz0Zz0Z", `${org.slug}~never-was`];
    for (const [who, token] of [
      ["member", member.token],
      ["stranger", stranger.token],
      ["anonymous", undefined],
    ] as const) {
      for (const [at, ref] of real.entries()) {
        const other = made_up[at]!;
        for (const [index, [method, path, body]] of reads(ref).entries()) {
          const [, otherPath] = reads(other)[index]!;
          const [seen, unknown] = [
            await service.call(method, path, { token, body }),
            await service.call(method, otherPath, { token, body }),
          ];
          assert.equal(seen.status, token === undefined ? 401 : 404, `${who}: ${method} ${path}`);
          const same = (answer: typeof seen, name: string) =>
            JSON.stringify({ ...answer.body, requestId: "" }).replaceAll(name, "<ref>");
          assert.equal(same(seen, ref), same(unknown, other), `${who}: ${method} ${path}`);
          assert.deepEqual(
            [...seen.headers.keys()].filter((name) => name !== "content-length"),
            [...unknown.headers.keys()].filter((name) => name !== "content-length"),
          );
        }
      }
      for (const ref of [hidden.slug, hidden.publicId, `${org.slug}/${hidden.slug}`]) {
        const answer = await service.call("GET", `/api/skills/resolve?ref=${encodeURIComponent(ref)}`, {
          token,
        });
        assert.equal(answer.status, token === undefined ? 401 : 404, `${who}: resolve ${ref}`);
      }
    }
  });

  it("is left out of the member's lists, searches, counts and trees", async () => {
    for (const token of [member.token, stranger.token, undefined]) {
      assert.ok(!(await explore(token)).includes(hidden.slug));
      assert.deepEqual(await explore(token, "&query=revenue"), [unrestricted.slug]);
    }
    assert.deepEqual(await list(member.token), [unrestricted.slug]);
    assert.deepEqual(await list(member.token, "&query=quarterly"), [unrestricted.slug]);
    const folders = await service.call<FolderPayload[]>("GET", `/api/tenants/${org.slug}/folders`, {
      token: member.token,
    });
    assert.deepEqual(
      folders.data.map((one) => [one.path, one.skillCount]),
      [["open", 1]],
    );
    for (const id of [vault.id, deep.id]) {
      const filtered = await service.call("GET", `/api/skills?folder_id=${id}`, { token: member.token });
      assert.equal(filtered.error, `No folder "${id}" was found.`);
    }
  });

  it("has no page for a member without a grant", async () => {
    const page = await service.raw("GET", `/s/${hidden.publicId}`, { cookie: member.cookie });
    const unknown = await service.raw("GET", "/s/Zz0Zz0Zz0Z", { cookie: member.cookie });
    const raw = await service.raw("GET", `/s/${hidden.publicId}?raw`, {});

    assert.equal(page.status, 404);
    assert.equal(await page.text(), (await unknown.text()).replaceAll("Zz0Zz0Zz0Z", hidden.publicId));
    assert.equal(raw.status, 401);
  });

  it("takes the same queries as a nonexistent skill, so that response times don't reveal it", async () => {
    const { client } = service.app.storage.database.raw;
    const commandsOf = async (path: string, token: string | undefined) => {
      await service.settled();
      const sent: string[] = [];
      const note = ({ commandName, command }: CommandStartedEvent) => {
        if (/^(find|aggregate)$/.test(commandName))
          sent.push(`${commandName} ${String(command[commandName])}`);
      };
      client.on("commandStarted", note);
      await service.call("GET", path, { token });
      client.off("commandStarted", note);
      return sent.toSorted();
    };
    const elsewhere = await service.newOrg(owner);
    const foreign = await service.call<PublishResult>("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: elsewhere.slug, name: "Foreign", content: "x\n" },
    });
    for (const token of [member.token, stranger.token, undefined]) {
      const unknown = await commandsOf(`/api/skills/${service.app.newId()}`, token);
      // The skill with its folder tree, and the look-up that equalizes the time.
      assert.equal(unknown.filter((command) => command === "aggregate skills").length, 2);
      assert.deepEqual(await commandsOf(`/api/skills/${hidden.id}`, token), unknown);
      assert.deepEqual(await commandsOf(`/api/skills/${foreign.data.skill.id}`, token), unknown);
    }
  });

  it("can't be published to, and the error for its reserved name doesn't mention it", async () => {
    const other = await service.call<PublishResult>("POST", "/api/skills", {
      token: member.token,
      body: { tenantId: org.slug, name: hidden.name, content: "mine\n" },
    });
    const update = await service.call("POST", "/api/skills", {
      token: member.token,
      body: { tenantId: org.slug, name: "Quarterly numbers", mode: "update", content: "mine\n" },
    });
    const create = await service.call("POST", "/api/skills", {
      token: member.token,
      body: { tenantId: org.slug, name: "Quarterly  Numbers!", mode: "create", content: "mine\n" },
    });

    assert.equal(other.data.action, "created");
    assert.notEqual(other.data.skill.id, hidden.id);
    assert.equal(update.data && (update.data as PublishResult).skill.id, other.data.skill.id);
    assert.equal(create.code, "already_exists");
    assert.ok(!JSON.stringify(create.body).includes(hidden.publicId));
    await service.call("DELETE", `/api/skills/${other.data.skill.id}`, { token: owner.token });
    await service.settled();
  });

  it("can be read by members with a grant and holders of folder:manageAcl, and is never cached publicly", async () => {
    for (const user of [granted, owner]) {
      const read = await service.call<SkillPayload>("GET", `/api/skills/${hidden.id}`, { token: user.token });
      assert.equal(read.status, 200);
      assert.equal(read.data.restricted, true);
      const content = await service.call("GET", `/api/skills/${hidden.id}/content?version=1`, {
        token: user.token,
      });
      assert.match(content.headers.get("cache-control")!, /^private/);
      assert.ok((await list(user.token)).includes(hidden.slug));
      assert.ok((await list(user.token, "&query=revenue")).includes(hidden.slug));
      assert.ok(!(await explore(user.token)).includes(hidden.slug), "the catalog is what anybody may see");
    }
    const tree = await service.call<FolderPayload[]>("GET", `/api/tenants/${org.slug}/folders`, {
      token: granted.token,
    });
    assert.deepEqual(
      tree.data.map((one) => [one.path, one.skillCount]),
      [
        ["open", 1],
        ["open/vault", 0],
        ["open/vault/deep", 1],
      ],
    );
  });
});
