/** Access of tokens narrowed by scopes and folders, over REST: lists, look-ups, folders, publish, move. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  FolderAccessPayload,
  FolderPayload,
  MovedSkillPayload,
} from "../../contract/payloads/organizations/folders.ts";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { governed, newFolder, newMember, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

/** `vault` is restricted to `granted`, and `vault/inner` has no grants; both are in `open`. */
const folders: Record<"open" | "sub" | "vault" | "inner" | "beside", FolderPayload> = {} as never;
const skills = new Map<string, SkillPayload>();

const places = { root: "/", open: "open", sub: "open/sub", vault: "open/vault", inner: "open/vault/inner" };

const { service, owner, org } = await setUpOrganization();
const member = await newMember(service, org, "member");
const granted = await newMember(service, org, "member");
const publish = (token: string, fields: { name: string; [field: string]: unknown }) =>
  service.call<PublishResult>("POST", "/api/skills", {
    token,
    body: { tenantId: org.slug, content: `quarterly ${fields.name}\n`, ...fields },
  });
for (const [name, path] of Object.entries({ ...places, beside: "beside" }))
  if (path !== "/") folders[name as keyof typeof folders] = await newFolder(service, org, owner, path);
for (const [place, path] of Object.entries(places))
  for (const visibility of ["private", "public"]) {
    const name = `${place} ${visibility}`;
    const made = await publish(owner.token, { name, visibility, folder: path });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    skills.set(name, made.data.skill);
  }
await restrict(service, owner, folders.vault.id, [{ type: "member", id: granted.id, level: "editor" }]);
await restrict(service, owner, folders.inner.id, []);
await governed(service, org);

const mint = async (path: string, by: TestUser, limits: object) => {
  const answer = await service.call<{ id: string; token: string }>("POST", path, {
    token: by.token,
    body: { name: "narrow", ...limits },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.data;
};
const personal = async (by: TestUser, limits: object) => (await mint("/api/user/tokens", by, limits)).token;
const organizations = async (limits: object) =>
  (await mint(`/api/tenants/${org.id}/tokens`, owner, limits)).token;
const move = (token: string, name: string, body: object) =>
  service.call<MovedSkillPayload>("POST", `/api/skills/${skills.get(name)!.id}/move`, { token, body });

const named = (...of: (keyof typeof places)[]) =>
  of.flatMap((place) => [`${place} private`, `${place} public`]).sort();
const inOpen = named("open", "sub", "vault", "inner");

/** User, token, and the skills expected in lists. */
const cases: [who: string, token: () => Promise<string>, sees: string[], folders: string[]][] = [
  ["the organization's, unrestricted", () => organizations({}), [...named("root"), ...inOpen], ["*"]],
  [
    "the organization's, with read scope",
    () => organizations({ scopes: { skill: ["read"] } }),
    named("root", "open", "sub"),
    ["beside", "open", "open/sub"],
  ],
  [
    "the organization's, without read scope",
    () => organizations({ scopes: { skill: ["create"] } }),
    [],
    ["beside", "open", "open/sub"],
  ],
  ["the organization's, without scopes", () => organizations({ scopes: {} }), [], []],
  [
    "the organization's, in a folder",
    () => organizations({ allowedFolderIds: [folders.open.id] }),
    inOpen,
    ["open", "open/sub", "open/vault", "open/vault/inner"],
  ],
  [
    "the organization's, in a restricted folder",
    () => organizations({ allowedFolderIds: [folders.vault.id], scopes: { skill: ["read"] } }),
    named("vault", "inner"),
    ["open", "open/vault", "open/vault/inner"],
  ],
  [
    "an owner's, in a folder",
    () => personal(owner, { allowedFolderIds: [folders.open.id] }),
    inOpen,
    ["open", "open/sub", "open/vault", "open/vault/inner"],
  ],
  [
    "a member's, in a folder",
    () => personal(member, { allowedFolderIds: [folders.open.id] }),
    named("open", "sub"),
    ["open", "open/sub"],
  ],
  [
    "a member's with a grant, in two folders",
    () => personal(granted, { allowedFolderIds: [folders.sub.id, folders.vault.id] }),
    named("sub", "vault"),
    ["open", "open/sub", "open/vault"],
  ],
  [
    "a member's with a grant, with read scope",
    () => personal(granted, { scopes: { skill: ["read"] } }),
    named("root", "open", "sub", "vault"),
    ["beside", "open", "open/sub", "open/vault"],
  ],
  ["a member's, with log scope", () => personal(granted, { scopes: { auditLog: ["read"] } }), [], []],
];

describe("skills that narrowed tokens see", () => {
  for (const [who, tokenOf, sees, sightOf] of cases) {
    it(`by ${who}`, async () => {
      const token = await tokenOf();
      const list = async (query: string) => {
        const names: string[] = [];
        let cursor: string | null | undefined = "";
        while (typeof cursor === "string") {
          const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
          const page = await service.call<SkillPayload[]>("GET", `/api/skills?limit=3${query}${at}`, {
            token,
          });
          assert.equal(page.status, 200, JSON.stringify(page.body));
          // A page is full, or the last one.
          assert.ok(page.data.length === 3 || page.nextCursor === null);
          names.push(...page.data.map(({ name }) => name));
          cursor = page.nextCursor;
        }
        return names.sort();
      };
      const expected = [...sees].sort();

      assert.deepEqual(await list(""), expected);
      assert.deepEqual(await list(`&tenant_id=${org.slug}`), expected);
      // By rank, a page may move while downloads are counted.
      assert.deepEqual(await list("&query=quarterly&sort=updated"), expected);
      assert.deepEqual(
        await list("&folder_id=root"),
        expected.filter((name) => name.startsWith("root")),
      );
      for (const [name, skill] of skills) {
        const isSeen = expected.includes(name);
        const isOpen = /^(root|open|sub) public$/.test(name);
        for (const target of [skill.id, skill.publicId, `${org.slug}~${skill.slug}`]) {
          const read = await service.call("GET", `/api/skills/${target}/content`, { token });
          assert.equal(read.status, isSeen || isOpen ? 200 : 404, `${name} by ${target}`);
        }
        const resolved = await service.call("GET", `/api/skills/resolve?ref=${skill.slug}`, { token });
        assert.equal(resolved.status, isSeen || isOpen ? 200 : 404, `resolve ${name}`);
      }

      const tree = await service.call<FolderPayload[]>("GET", `/api/tenants/${org.id}/folders`, { token });
      const paths = tree.data.map(({ path }) => path);
      assert.deepEqual(
        paths,
        sightOf[0] === "*" ? ["beside", ...Object.values(places).slice(1)].sort() : sightOf,
      );
      for (const [name, { id, path }] of Object.entries(folders)) {
        const read = await service.call<FolderPayload>("GET", `/api/folders/${id}`, { token });
        assert.equal(read.status, paths.includes(path) ? 200 : 404, name);
        const inside = expected.filter((skill) => skill.startsWith(`${name} `));
        if (read.status === 200) {
          assert.equal(read.data.skillCount, inside.length, `skills counted in ${name}`);
          assert.deepEqual(await list(`&folder_id=${id}`), inside);
        } else {
          const listed = await service.call("GET", `/api/skills?folder_id=${id}`, { token });
          assert.equal(listed.status, 404);
        }
      }
    });
  }
});

describe("a token that is narrowed to a folder", () => {
  for (const [who, tokenOf] of [
    ["of the organization", () => organizations({ allowedFolderIds: [folders.open.id] })],
    ["of an owner", () => personal(owner, { allowedFolderIds: [folders.open.id] })],
  ] as const) {
    it(`${who} changes nothing outside it`, async () => {
      const token = await tokenOf();
      const call = (method: string, target: string, body?: unknown) =>
        service.call(method, target, { token, body });
      const at = `/api/tenants/${org.id}`;

      assert.equal((await publish(token, { name: "At the root" })).status, 403);
      assert.equal((await publish(token, { name: "Beside", folder: "beside" })).status, 404);
      const anew = { name: "Anew", folder: "anew", createFolders: true };
      assert.equal((await publish(token, anew)).status, 403);
      for (const [method, body] of [
        ["PUT", { tags: ["x"] }],
        ["DELETE", undefined],
      ] as const) {
        const open = await call(method, `/api/skills/${skills.get("root public")!.id}`, body);
        assert.equal(open.status, 403, method);
        const closed = await call(method, `/api/skills/${skills.get("root private")!.id}`, body);
        assert.equal(closed.status, 404, method);
      }
      assert.equal((await move(token, "open private", { folder: "/" })).status, 403);
      assert.equal((await move(token, "open private", { folderId: null })).status, 403);
      assert.equal((await move(token, "open private", { folder: "beside" })).status, 404);
      assert.equal((await move(token, "open private", { folderId: folders.beside.id })).status, 404);
      assert.equal((await move(token, "root private", { folderId: folders.open.id })).status, 404);
      assert.equal((await move(token, "root public", { folderId: folders.open.id })).status, 403);
      assert.equal((await call("POST", `${at}/folders`, { path: "elsewhere" })).status, 403);
      assert.equal(
        (await call("POST", `${at}/folders`, { name: "x", parentId: folders.beside.id })).status,
        404,
      );
      assert.equal((await call("PATCH", `/api/folders/${folders.sub.id}`, { parentId: null })).status, 403);
      const beside = { parentId: folders.beside.id };
      assert.equal((await call("PATCH", `/api/folders/${folders.sub.id}`, beside)).status, 404);
      assert.equal((await call("PATCH", `/api/folders/${folders.open.id}`, { name: "Mine" })).status, 403);
      assert.equal((await call("DELETE", `/api/folders/${folders.beside.id}`)).status, 404);
      for (const [method, target, body] of [
        ["PATCH", at, { description: "mine" }],
        ["GET", `${at}/members`],
        ["POST", `${at}/teams`, { name: "mine" }],
        ["POST", `${at}/roles`, { name: "mine", permissions: {} }],
        ["GET", `${at}/tokens`],
        ["PUT", `/api/folders/${folders.vault.id}/access`, { restricted: false, grants: [] }],
      ] as const)
        assert.equal((await call(method, target, body)).status, 403, `${method} ${target}`);
    });

    it(`${who} works inside it`, async () => {
      const token = await tokenOf();
      const name = `Inside ${service.app.newId()}`;

      const made = await publish(token, { name, folder: "open/vault/inner" });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      skills.set(name, made.data.skill);
      // The name exists only in that folder, so no folder has to be given.
      const pushed = await publish(token, { name, content: "again\n" });
      assert.deepEqual([pushed.data.action, pushed.data.skill.id], ["updated", made.data.skill.id]);
      // Moving it there would remove it from a restriction, which no narrowed token may lift.
      const lifted = await move(token, name, { folder: "open/sub/more", createFolders: true });
      assert.deepEqual([lifted.status, lifted.code], [403, "forbidden"]);
      assert.equal((await move(owner.token, name, { folder: "open/sub" })).status, 200);
      const moved = await move(token, name, { folder: "open/sub/more", createFolders: true });
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
      assert.equal(moved.data.to.path, "open/sub/more");
      const { folderId } = moved.data.to;
      const renamed = await service.call("PATCH", `/api/folders/${folderId}`, {
        token,
        body: { name: "Less" },
      });
      assert.equal(renamed.status, 200);
      const gone = await service.call("DELETE", `/api/skills/${made.data.skill.id}`, { token });
      assert.equal(gone.status, 200);
      assert.equal((await service.call("DELETE", `/api/folders/${folderId}`, { token })).status, 200);
    });
  }

  it("follows the folder if that is moved, and loses what is deleted", async () => {
    const [moving, doomed] = [
      await newFolder(service, org, owner, "here/moving"),
      await newFolder(service, org, owner, "here/doomed"),
    ];
    const made = await publish(owner.token, { name: "Moving", folder: "here/moving" });
    const tokens = [
      await organizations({ allowedFolderIds: [moving.id, doomed.id] }),
      await personal(owner, { allowedFolderIds: [moving.id, doomed.id] }),
    ];
    const seen = async (token: string) => {
      const list = await service.call<SkillPayload[]>("GET", "/api/skills", { token });
      const tree = await service.call<FolderPayload[]>("GET", `/api/tenants/${org.id}/folders`, { token });
      return [list.data.map(({ name }) => name), tree.data.map(({ path }) => path)];
    };
    const admin = (method: string, target: string, body?: unknown) =>
      service.call(method, target, { token: owner.token, body });
    for (const token of tokens)
      assert.deepEqual(await seen(token), [["Moving"], ["here", "here/doomed", "here/moving"]]);

    await admin("PATCH", `/api/folders/${moving.id}`, { parentId: folders.beside.id });
    for (const token of tokens)
      assert.deepEqual(await seen(token), [["Moving"], ["beside", "beside/moving", "here", "here/doomed"]]);

    await admin("DELETE", `/api/folders/${doomed.id}`);
    const again = await newFolder(service, org, owner, "here/doomed");
    for (const token of tokens) {
      assert.deepEqual(await seen(token), [["Moving"], ["beside", "beside/moving"]]);
      assert.equal((await publish(token, { name: "Late", folder: "here/doomed" })).status, 404);
      assert.equal((await service.call("GET", `/api/folders/${again.id}`, { token })).status, 404);
    }

    await admin("DELETE", `/api/skills/${made.data.skill.id}`);
    await admin("DELETE", `/api/folders/${moving.id}`);
    for (const token of tokens) {
      assert.deepEqual(await seen(token), [[], []]);
      assert.equal((await publish(token, { name: "Later" })).status, 403);
      const open = await service.call("GET", `/api/skills/${skills.get("root public")!.id}`, { token });
      assert.equal(open.status, 200, "what everybody may see");
    }
  });

  it("is narrowed further when the folder is moved below a restriction, unless it is the organization's", async () => {
    const folder = await newFolder(service, org, owner, "drift");
    await publish(owner.token, { name: "Drifting", folder: "drift", visibility: "public" });
    const closed = await newFolder(service, org, owner, "closed");
    await restrict(service, owner, closed.id, []);
    const tokens = {
      member: await personal(member, { allowedFolderIds: [folder.id] }),
      owner: await personal(owner, { allowedFolderIds: [folder.id] }),
      organization: await organizations({ allowedFolderIds: [folder.id] }),
    };
    const seen = async () => {
      const counts: Record<string, number> = {};
      for (const [who, token] of Object.entries(tokens))
        counts[who] = (await service.call<unknown[]>("GET", "/api/skills", { token })).data.length;
      return counts;
    };
    assert.deepEqual(await seen(), { member: 1, owner: 1, organization: 1 });

    const parentId = closed.id;
    await service.call("PATCH", `/api/folders/${folder.id}`, { token: owner.token, body: { parentId } });

    assert.deepEqual(await seen(), { member: 0, owner: 1, organization: 1 });
    const publishing = await publish(tokens.member, { name: "Drifted", folder: "closed/drift" });
    assert.equal(publishing.status, 404);
  });

  it("has the access of its user's grant and role at the time of the request", async () => {
    const user = await newMember(service, org, "member");
    const folder = await newFolder(service, org, owner, "lent");
    await publish(owner.token, { name: "Lent", folder: "lent" });
    const grant = (level: "viewer" | "editor") => [{ type: "member", id: user.id, level } as const];
    await restrict(service, owner, folder.id, grant("editor"));
    await governed(service, org);
    const token = await personal(user, { allowedFolderIds: [folder.id] });
    const names = async () =>
      (await service.call<SkillPayload[]>("GET", "/api/skills", { token })).data.map(({ name }) => name);
    assert.deepEqual(await names(), ["Lent"]);
    assert.equal((await publish(token, { name: "Lent", content: "more\n" })).data.action, "updated");

    await restrict(service, owner, folder.id, grant("viewer"));
    assert.deepEqual(await names(), ["Lent"]);
    const readOnly = await publish(token, { name: "Lent", content: "even more\n", mode: "update" });
    assert.equal(readOnly.status, 403);
    await restrict(service, owner, folder.id, []);
    assert.deepEqual(await names(), []);
    assert.equal((await service.call("GET", `/api/folders/${folder.id}`, { token })).status, 404);
    // An organization's token has the folder by itself, regardless of grants.
    const robot = await organizations({ allowedFolderIds: [folder.id] });
    assert.equal((await publish(robot, { name: "Lent", content: "most\n" })).data.action, "updated");
    await restrict(service, owner, folder.id, grant("editor"));
    assert.deepEqual(await names(), ["Lent"]);

    const left = await service.call("DELETE", `/api/tenants/${org.id}/members/${user.id}`, {
      token: owner.token,
    });
    assert.equal(left.status, 200, JSON.stringify(left.body));
    assert.deepEqual(await names(), []);
    assert.equal((await service.call("GET", `/api/tenants/${org.id}`, { token })).status, 404);
  });

  it("sees of a folder's access only that it may use the folder", async () => {
    const token = await organizations({ allowedFolderIds: [folders.vault.id] });

    const read = await service.call<FolderAccessPayload>("GET", `/api/folders/${folders.vault.id}/access`, {
      token,
    });

    assert.equal(read.status, 200);
    assert.deepEqual([read.data.grants, read.data.canManage], [[], false]);
  });
});
