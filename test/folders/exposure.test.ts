import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type {
  ChangedFolderAccessPayload,
  ChangedFolderPayload,
  FolderPayload,
  MovedSkillPayload,
} from "../../contract/payloads/organizations/folders.ts";
import type { ChangedSkillPayload, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { newFolder, newMember, restrict, publishSkill } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

const publish = (name: string, folder: string, visibility: string) =>
  publishSkill(service, org, owner, { name, folder, visibility });

describe("a restriction", () => {
  let vault: FolderPayload;
  let drafts: FolderPayload;
  let inner: FolderPayload;
  let open: FolderPayload;
  let editor: TestUser;
  let manager: TestUser;
  let reader: TestUser;
  let secret: SkillPayload;

  before(async () => {
    editor = await newMember(service, org, "member");
    manager = await newMember(service, org, "member");
    reader = await newMember(service, org, "member");
    vault = await newFolder(service, org, owner, "around/vault");
    drafts = await newFolder(service, org, owner, "around/vault/drafts");
    inner = await newFolder(service, org, owner, "around/vault/inner");
    open = await newFolder(service, org, owner, "open");
    secret = await publish("Secret", "around/vault", "public");
    await publish("Draft", "around/vault/drafts", "unlisted");
    await restrict(service, owner, vault.id, [
      { type: "member", id: editor.id, level: "editor" },
      { type: "member", id: manager.id, level: "manager" },
    ]);
    await restrict(service, owner, inner.id, [
      { type: "member", id: editor.id, level: "editor" },
      { type: "member", id: manager.id, level: "editor" },
      { type: "member", id: reader.id, level: "viewer" },
    ]);
  });

  const patch = (user: TestUser, id: string, body: object) =>
    service.call<ChangedFolderPayload>("PATCH", `/api/folders/${id}`, { token: user.token, body });
  const move = (token: string, body: object, ref = secret.id) =>
    service.call<MovedSkillPayload>("POST", `/api/skills/${ref}/move`, { token, body });
  const readable = async (user: TestUser | undefined) =>
    (await service.call("GET", `/api/skills/${secret.id}`, { token: user?.token })).status === 200;

  it("can't be lifted by an editor: not by moving folders out, renaming, deleting, or moving a skill out", async () => {
    const empty = await newFolder(service, org, owner, "empty");
    await restrict(service, owner, empty.id, [{ type: "member", id: editor.id, level: "editor" }]);
    const attempts: [string, Promise<{ code: string | undefined }>][] = [
      ["a subfolder to the root", patch(editor, drafts.id, { parentId: null })],
      ["a subfolder to an open folder", patch(editor, drafts.id, { parentId: open.id, name: "Other" })],
      ["a subfolder into an inner folder with more grants", patch(editor, drafts.id, { parentId: inner.id })],
      ["a rename", patch(editor, vault.id, { name: "Renamed" })],
      ["a rename to the same slug", patch(editor, vault.id, { name: "VAULT" })],
      ["a move of the restricted folder", patch(editor, vault.id, { parentId: open.id })],
      ["a rename of the folder around it", patch(editor, vault.parentId!, { name: "Renamed" })],
      ["a move of the folder around it", patch(reader, vault.parentId!, { parentId: open.id })],
      ["a deletion", service.call("DELETE", `/api/folders/${empty.id}`, { token: editor.token })],
      ["a skill to the root", move(editor.token, { folder: "/" })],
      ["a skill to an open folder", move(editor.token, { folderId: open.id })],
      ["a skill to a new folder", move(editor.token, { folder: "brand/new", createFolders: true })],
      ["a skill into an inner folder with more grants", move(editor.token, { folderId: inner.id })],
      ["a skill, tried", move(editor.token, { folder: "/", dryRun: true })],
    ];
    for (const [name, attempt] of attempts) assert.equal((await attempt).code, "forbidden", name);

    assert.ok(await readable(editor));
    assert.ok(!(await readable(reader)));
    assert.ok(!(await readable(undefined)));
    assert.equal((await patch(editor, drafts.id, { name: "Drafts 2" })).status, 200, "within it, they may");
    assert.equal((await move(editor.token, { folderId: drafts.id })).status, 200, "within it, they may");
    assert.equal((await move(editor.token, { folderId: vault.id })).status, 200);
  });

  it("can be lifted by managers, who are shown who will be able to read, before and after", async () => {
    const tried = await move(manager.token, { folder: "/", dryRun: true });
    const triedFolder = await patch(manager, drafts.id, { parentId: open.id, dryRun: true });
    const renamed = await patch(manager, vault.id, { name: "Safe", dryRun: true });
    const created = await move(manager.token, { folder: "brand/new", createFolders: true, dryRun: true });

    assert.deepEqual(tried.data.exposure, {
      before: { visibility: "restricted" },
      after: { visibility: "public" },
      widened: true,
      versions: 0,
    });
    assert.equal(tried.data.moved, true);
    assert.deepEqual(triedFolder.data.exposure, {
      before: { visibility: "restricted" },
      after: { visibility: "organization" },
      widened: true,
      skills: { public: 0, unlisted: 1 },
    });
    assert.equal(triedFolder.data.path, "open/drafts-2");
    assert.equal(renamed.data.path, "around/safe");
    assert.deepEqual(
      renamed.data.exposure.after.members?.map((one) => one.name).toSorted(),
      [editor.username, manager.username].toSorted(),
    );
    assert.equal(renamed.data.exposure.widened, false);
    assert.deepEqual(created.data.to, { folderId: null, path: "brand/new" });
    assert.ok(!(await readable(undefined)), "a dry run changes nothing");
    const folders = await service.call<FolderPayload[]>("GET", `/api/tenants/${org.slug}/folders`, owner);
    assert.ok(!folders.data.some(({ path }) => path.startsWith("brand") || path.startsWith("open/drafts")));

    const moved = await move(manager.token, { folderId: inner.id });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    assert.equal(moved.data.exposure.after.memberCount, 3);
    assert.ok(await readable(reader));
    assert.equal((await move(owner.token, { folderId: vault.id })).data.exposure.widened, false);
  });

  it("lists the future readers when it is changed, also in a dry run", async () => {
    const access = (body: object) =>
      service.call<ChangedFolderAccessPayload>("PUT", `/api/folders/${vault.id}/access`, {
        token: owner.token,
        body,
      });
    const read = () => service.call("GET", `/api/folders/${vault.id}/access`, owner);
    const present = (await read()).data;

    const lifted = await access({ restricted: false, grants: [], dryRun: true });
    const base = `/api/tenants/${org.slug}`;
    await service.call("POST", `${base}/mcp-servers`, {
      token: owner.token,
      body: { name: "Inside", transport: "http", url: "https://mcp.example.com/mcp", folderId: vault.id },
    });
    await service.call("PUT", `${base}/mcp-registry`, { token: owner.token, body: { enabled: true } });
    const withServer = await access({ restricted: false, grants: [], dryRun: true });

    assert.equal(lifted.data.exposure.mcpServers, undefined);
    assert.equal(withServer.data.exposure.mcpServers, 1);
    assert.deepEqual(lifted.data.exposure.skills, { public: 1, unlisted: 1 });
    assert.equal(lifted.data.exposure.after.visibility, "organization");
    assert.equal(lifted.data.restricted, false);
    assert.deepEqual((await read()).data, present);
  });

  it("reverts the move of a skill out of the folder if it is set during the move", async () => {
    const { skills } = service.app.storage;
    const late = await newFolder(service, org, owner, "late");
    const skill = await publish("Tardy", "late", "private");
    const write = skills.move;
    skills.move = async (...args) => {
      skills.move = write;
      await restrict(service, owner, late.id, [{ type: "member", id: editor.id, level: "editor" }]);
      return write(...args);
    };

    const moved = await move(editor.token, { folder: "/" }, skill.id);

    assert.equal(moved.code, "forbidden", JSON.stringify(moved.body));
    assert.equal((await service.call("GET", `/api/skills/${skill.id}`, reader)).status, 404);
    const now = await service.call<SkillPayload>("GET", `/api/skills/${skill.id}`, owner);
    assert.equal(now.data.folderId, late.id);
    assert.equal((await move(owner.token, { folder: "/" }, skill.id)).status, 200, "its place there is free");
  });
});

describe("the visibility of a skill", () => {
  it("exposes all versions when it is widened, and the response counts them", async () => {
    const skill = await publish("Ledger", "/", "private");
    for (const text of ["two", "three"])
      await service.call("POST", `/api/skills/${skill.id}/versions`, {
        token: owner.token,
        body: { content: `# Ledger\n${text}\n` },
      });
    const change = async (body: object) =>
      (
        await service.call<ChangedSkillPayload>("PUT", `/api/skills/${skill.id}`, {
          token: owner.token,
          body,
        })
      ).data;

    const tried = await change({ visibility: "public", dryRun: true });
    const still = await service.call("GET", `/api/skills/${skill.id}`);
    const unlisted = await change({ visibility: "unlisted" });
    const listed = await change({ visibility: "public" });
    const back = await change({ visibility: "private" });

    assert.equal(tried.visibility, "public");
    assert.equal(still.status, 401);
    assert.deepEqual(tried.exposure, {
      before: { visibility: "organization" },
      after: { visibility: "public" },
      widened: true,
      versions: 2,
    });
    assert.equal(unlisted.exposure.versions, 2);
    assert.deepEqual([listed.exposure.widened, listed.exposure.versions], [true, 2]);
    assert.deepEqual(back.exposure, {
      before: { visibility: "public" },
      after: { visibility: "organization" },
      widened: false,
    });
  });
});
