import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TokenPayload } from "../../contract/payloads/accounts/tokens.ts";
import { addMember, newFolder, newMember, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpTokens } from "./fixture.ts";

const fixture = await setUpTokens();
const { service, owner, org, create, list, revoke, made, revokeAll, statusOf, newRole } = fixture;

describe("creating tokens of an organization", () => {
  const personal = async (user: TestUser, limits: object) => {
    const answer = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      token: user.token,
      body: { name: "narrow", ...limits },
    });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return { token: answer.data.token };
  };

  it("requires a person with the permission, and no narrowed token", async () => {
    const folder = await newFolder(service, org, owner, "narrow");
    const [admin, member, viewer] = await Promise.all(
      ["admin", "member", "viewer"].map((role) => newMember(service, org, role)),
    );
    const stranger = await service.newUser();
    const target = await made(owner);
    const refused: [string, { token: string }, number][] = [
      ["member", member!, 403],
      ["viewer", viewer!, 403],
      ["stranger", stranger, 404],
      ["scoped", await personal(owner, { scopes: { skill: ["read"] } }), 403],
      ["no scopes", await personal(owner, { scopes: {} }), 403],
      ["in a folder", await personal(owner, { allowedFolderIds: [folder.id] }), 403],
      ["organization's, scoped", await made(owner, { scopes: { skill: ["read"] } }), 403],
      ["organization's, in a folder", await made(owner, { allowedFolderIds: [folder.id] }), 403],
    ];

    for (const [who, by, status] of refused) {
      assert.equal((await create(by)).status, status, `${who} creates`);
      assert.equal((await list(by)).status, status, `${who} lists`);
      assert.equal((await revoke(by, target.id)).status, status, `${who} revokes`);
    }
    assert.equal((await service.call("GET", `/api/tenants/${org.id}/tokens`)).status, 401);
    assert.equal((await create(admin!)).status, 201);
    assert.equal((await create(await personal(admin!, {}))).status, 201);
    assert.equal((await revoke(admin!, target.id)).status, 200);
    await revokeAll();
  });

  it("is refused to tokens of the organization, which may list and revoke them", async () => {
    const [robot, other] = [await made(owner), await made(owner)];

    const minting = await create(robot);

    assert.equal(minting.status, 403);
    assert.match(minting.error!, /token of the organization .* needs a person/);
    assert.equal((await list(robot)).data.length, 2);
    assert.equal((await revoke(robot, other.id)).status, 200);
    assert.equal(await statusOf(other.token), 401);
    assert.equal((await revoke(robot, robot.id)).status, 200);
    assert.equal(await statusOf(robot.token), 401);
  });

  it("gives no permission that the creator lacks", async () => {
    const role = await newRole({ apiToken: ["manage"], skill: ["read", "update"], folder: ["update"] });
    const keeper = await newMember(service, org, role);
    const withScopes = (scopes: object) => create(keeper, { scopes });

    const unlimited = await create(keeper);
    const more = await withScopes({ skill: ["read", "delete"], auditLog: ["read"] });

    assert.equal(unlimited.status, 403);
    assert.ok((unlimited.details!["missing"] as string[]).includes("skill:delete"));
    assert.equal(more.status, 403);
    assert.deepEqual(more.details!["missing"], ["skill:delete", "auditLog:read"]);
    assert.equal((await withScopes({ skill: ["read", "update"] })).status, 201);
    assert.equal((await withScopes({})).status, 201);
    await revokeAll();
  });

  it("accepts folders of the organization whose access the creator manages, including restricted ones below", async () => {
    const role = await newRole({ apiToken: ["manage"], skill: ["read"], folder: ["update"] });
    const keeper = await newMember(service, org, role);
    const scopes = { skill: ["read"] };
    const [open, mine, inner, hidden] = [
      await newFolder(service, org, owner, "given/open"),
      await newFolder(service, org, owner, "given/mine"),
      await newFolder(service, org, owner, "given/mine/inner"),
      await newFolder(service, org, owner, "given/hidden"),
    ];
    const grant = { type: "member", id: keeper.id, level: "manager" } as const;
    await restrict(service, owner, mine.id, [grant]);
    await restrict(service, owner, hidden.id, []);
    const foreign = await newFolder(service, await service.newOrg(owner), owner, "foreign");
    const naming = (...allowedFolderIds: string[]) => create(keeper, { scopes, allowedFolderIds });

    assert.equal((await naming(mine.id)).status, 201);
    assert.equal((await naming(mine.id, inner.id)).status, 201);
    assert.equal((await naming(open.id)).status, 403);
    const unseen: [string, string][] = [];
    for (const id of [hidden.id, foreign.id, "f".repeat(24), "x"]) {
      const answer = await naming(mine.id, id);
      assert.equal(answer.status, 404, id);
      unseen.push([answer.error!.replace(id, "it"), JSON.stringify(answer.details).replace(id, "it")]);
    }
    assert.equal(new Set(unseen.map(String)).size, 1, "distinguishable by text");
    await restrict(service, owner, inner.id, []);
    const beyond = await naming(mine.id);
    assert.equal(beyond.status, 403);
    assert.doesNotMatch(JSON.stringify(beyond.body), /inner/);
    await restrict(service, owner, inner.id, [grant]);
    assert.equal((await naming(mine.id)).status, 201);
    // The owner may use any of them, but none of another organization.
    assert.equal((await create(owner, { allowedFolderIds: [open.id, hidden.id] })).status, 201);
    assert.equal((await create(owner, { allowedFolderIds: [foreign.id] })).status, 404);
    const listed = (await list(keeper, "?limit=200")).data.flatMap((token) => token.allowedFolders ?? []);
    assert.equal(listed.find(({ id }) => id === hidden.id)?.path, null);
    assert.equal(listed.find(({ id }) => id === mine.id)?.path, "given/mine");
    await revokeAll();
  });

  it("does not find tokens of others by id", async () => {
    const [ours, other] = [await made(owner), await service.newOrg(owner)];
    const theirs = await made(owner, {}, other.id);
    const mine = await service.call<{ id: string }>("POST", "/api/user/tokens", {
      token: owner.token,
      body: { name: "mine" },
    });

    for (const [id, ref] of [
      [ours.id, other.id],
      [theirs.id, org.id],
      [mine.data.id, org.id],
      ["0".repeat(24), org.id],
      ["x", org.id],
      ["%00", org.id],
    ] as const)
      assert.equal((await revoke(owner, id, ref)).status, 404, id);
    const asPersonal = await service.call("DELETE", `/api/user/tokens/${ours.id}`, { token: owner.token });
    assert.equal(asPersonal.status, 404);
    assert.equal((await list(ours, "", other.id)).status, 404);
    assert.equal(await statusOf(ours.token), 200);
    await revokeAll();
  });
});

describe("the folders of a personal token", () => {
  const naming = (by: TestUser, ...allowedFolderIds: string[]) =>
    service.call<{ id: string }>("POST", "/api/user/tokens", {
      token: by.token,
      body: { name: "x", allowedFolderIds },
    });

  it("are any that its user sees, in all their organizations", async () => {
    const [member, granted] = [
      await newMember(service, org, "member"),
      await newMember(service, org, "member"),
    ];
    const open = await newFolder(service, org, owner, "mine");
    const vault = await newFolder(service, org, owner, "mine/vault");
    const inner = await newFolder(service, org, owner, "mine/vault/inner");
    await restrict(service, owner, vault.id, [{ type: "member", id: granted.id, level: "viewer" }]);
    await restrict(service, owner, inner.id, []);
    const other = await service.newOrg(owner);
    const foreign = await newFolder(service, other, owner, "foreign");

    assert.equal((await naming(owner, inner.id, foreign.id)).status, 201);
    assert.equal((await naming(granted, vault.id, open.id)).status, 201);
    const unseen: string[] = [];
    for (const [by, id] of [
      [member, vault.id],
      [granted, inner.id],
      [member, foreign.id],
      [member, "f".repeat(24)],
      [member, "x"],
    ] as const) {
      const answer = await naming(by, open.id, id);
      assert.equal(answer.status, 404, id);
      unseen.push(`${answer.error} ${JSON.stringify(answer.details)}`.replaceAll(`"${id}"`, "it"));
    }
    assert.equal(new Set(unseen).size, 1, "distinguishable by text");
    await addMember(service, other, member, "viewer");
    assert.equal((await naming(member, foreign.id)).status, 201);
    assert.equal((await naming(owner, open.id, open.id)).status, 400);
  });

  it("are included in the list and the log", async () => {
    const { id: folderId } = await newFolder(service, org, owner, "told");
    const { data } = await naming(owner, folderId);
    await service.settled();

    const listed = await service.call<TokenPayload[]>("GET", "/api/user/tokens", { token: owner.token });

    assert.deepEqual(listed.data.find(({ id }) => id === data.id)?.allowedFolderIds, [folderId]);
    const log = service.app.storage.database.raw.collection("audit_events");
    const event = await log.findOne({ name: "user.token_created", resourceId: data.id });
    assert.deepEqual(event?.["metadata"], { name: "x", allowedFolderIds: [folderId] });
  });
});
