import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { FolderPayload, CreatedFolderPayload } from "../../contract/payloads/organizations/folders.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import type { TestOrg } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

let org: TestOrg;

const { service } = await setUpService();
const owner = await service.newUser();
const stranger = await service.newUser();

async function freshOrg(): Promise<void> {
  org = await service.newOrg(owner);
}
const create = (body: object, token = owner.token) =>
  service.call<CreatedFolderPayload>("POST", `/api/tenants/${org.slug}/folders`, { token, body });
const folder = async (path: string) => (await create({ path, parents: true })).data.folder;
const list = async (token = owner.token) =>
  (await service.call<FolderPayload[]>("GET", `/api/tenants/${org.slug}/folders`, { token })).data;
const patch = (id: string, body: object, token = owner.token) =>
  service.call<FolderPayload>("PATCH", `/api/folders/${id}`, { token, body });
const remove = (id: string, token = owner.token) => service.call("DELETE", `/api/folders/${id}`, { token });
const publish = (name: string, fields: object = {}) =>
  service.call<{ skill: { id: string; slug: string; publicId: string; folderId: string | null } }>(
    "POST",
    "/api/skills",
    { token: owner.token, body: { tenantId: org.slug, name, content: `# ${name}\n`, ...fields } },
  );
const paths = async () => (await list()).map((one) => one.path);

describe("folders", () => {
  before(freshOrg);

  it("are created by path, with their missing parents", async () => {
    const lone = await create({ path: "Ops/Tools" });
    const made = await create({ path: "/Ops/Bücher & Tools/", parents: true });
    const again = await create({ path: "ops/buecher-and-tools" });

    assert.equal(lone.code, "not_found");
    assert.match(lone.error!, /No folder "Ops" was found/);
    assert.equal(made.status, 201);
    assert.deepEqual(made.data.created, ["ops", "ops/buecher-and-tools"]);
    assert.equal(made.data.path, "ops/buecher-and-tools");
    assert.equal(made.data.folder.name, "Bücher & Tools");
    assert.deepEqual(again.data.created, []);
    assert.equal(again.data.alreadyExisted, true);
    assert.equal(again.data.folder.id, made.data.folder.id);
  });

  it("are created by name in a parent, once", async () => {
    const around = await folder("by-name");

    const made = await create({ name: "Inner", parentId: around.id });
    const twice = await create({ name: "inner", parentId: around.id });

    assert.equal(made.data.path, "by-name/inner");
    assert.equal(made.data.folder.parentId, around.id);
    assert.equal(twice.code, "already_exists");
  });

  it("have names that read as they are written", async () => {
    const [named, renamed] = [
      await create({ name: "a\u202Eb", parentId: (await folder("around")).id }),
      await folder("plain"),
    ];
    const inPath = await create({ path: "c\u2067d" });

    for (const { error } of [named, inPath, await patch(renamed.id, { name: "e\u2028f" })])
      assert.match(error!, /control characters|not a valid folder name/);
  });

  it("share a namespace with the skills in the same parent", async () => {
    const around = await folder("names");
    await create({ name: "taken", parentId: around.id });
    const skill = await publish("Taken", { folder: "names" });
    const root = await publish("Rooted");

    assert.equal(skill.data.skill.slug, "taken-2");
    assert.equal(skill.data.skill.folderId, around.id);
    assert.equal((await create({ name: "Rooted", parentId: null })).code, "already_exists");
    assert.equal((await create({ name: "taken-2", parentId: around.id })).code, "already_exists");
    assert.equal((await create({ name: "rooted", parentId: around.id })).status, 201);
    const moved = await service.call("POST", `/api/skills/${root.data.skill.id}/move`, {
      token: owner.token,
      body: { folder: "names" },
    });
    assert.equal(moved.code, "already_exists");
    assert.match(moved.error!, /folder named "rooted"/);
  });

  it("keep their contents when they are renamed or moved", async () => {
    const [from, to] = [await folder("moving/inner/deep"), await folder("target")];
    const inner = (await list()).find((one) => one.path === "moving/inner")!;
    const skill = await publish("Traveller", { folder: "moving/inner/deep" });

    const renamed = await patch(inner.id, { name: "Core" });
    const moved = await patch(inner.id, { parentId: to.id });

    assert.equal(renamed.data.path, "moving/core");
    assert.equal(moved.data.path, "target/core");
    assert.ok((await paths()).includes("target/core/deep"));
    assert.ok(!(await paths()).includes("moving/core"));
    const read = await service.call<{ folderId: string; slug: string }>(
      "GET",
      `/api/skills/${skill.data.skill.id}`,
      { token: owner.token },
    );
    assert.equal(read.data.folderId, from.id);
    assert.equal(read.data.slug, skill.data.skill.slug);
    assert.equal((await create({ path: "moving/core" })).data.alreadyExisted, false, "the old name is free");
  });

  it("are listed as a tree, or one level at a time", async () => {
    const inner = await folder("listed/inner");
    await folder("listed/inner/deep");
    const inOne = async (parent: string) =>
      (
        await service.call<FolderPayload[]>("GET", `/api/tenants/${org.slug}/folders?parent_id=${parent}`, {
          token: owner.token,
        })
      ).data?.map((one) => one.path);

    assert.deepEqual(await inOne(inner.id), ["listed/inner/deep"]);
    assert.deepEqual(await inOne(inner.parentId!), ["listed/inner"]);
    assert.ok((await inOne("root")).every((path) => !path.includes("/")));
    assert.equal(await inOne(service.app.newId()), undefined);
  });

  it("are listed page by page, also those with long paths, and without gaps after a deletion", async () => {
    const long = Array.from({ length: 4 }, (_, n) => `${"l".repeat(90)}${n}`).join("/");
    for (const name of ["a", "b", "c"]) await folder(`${long}/${name}`);
    const removed = await folder("paged/one");
    await folder("paged/two");
    const all = (await list()).map(({ path }) => path);
    const read = async (afterPage: (listed: string[]) => Promise<void>) => {
      const listed: string[] = [];
      for (let cursor: string | null | undefined = undefined; cursor !== null;) {
        const query: string = cursor === undefined ? "" : `&cursor=${cursor}`;
        const target = `/api/tenants/${org.slug}/folders?limit=1${query}`;
        const page = await service.call<FolderPayload[]>("GET", target, { token: owner.token });
        assert.equal(page.data.length, 1, target);
        listed.push(page.data[0]!.path);
        await afterPage(listed);
        cursor = page.nextCursor;
      }
      return listed;
    };

    assert.deepEqual(await read(async () => undefined), all);
    const rest = await read(async (listed) => {
      if (listed.at(-1) !== "paged/one") return;
      const target = `/api/folders/${removed.id}`;
      assert.equal((await service.call("DELETE", target, { token: owner.token })).status, 200);
    });
    assert.deepEqual(rest, all);
    const refused = await service.call("GET", `/api/tenants/${org.slug}/folders?limit=2001`, {
      token: owner.token,
    });
    assert.equal(refused.code, "invalid_request");
  });

  it("can't be moved into themselves", async () => {
    await folder("circle/a/b");
    const byPath = new Map((await list()).map((one) => [one.path, one.id]));
    const circle = byPath.get("circle")!;

    for (const target of ["circle", "circle/a", "circle/a/b"]) {
      const answer = await patch(circle, { parentId: byPath.get(target)! });
      assert.equal(answer.code, "refused", target);
    }
    assert.match((await patch(circle, { parentId: circle })).error!, /into itself/);
  });

  it("form no cycle when two are moved at once", async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await folder(`r${round}a`), await folder(`r${round}b`)];
      const answers = await Promise.all([patch(a.id, { parentId: b.id }), patch(b.id, { parentId: a.id })]);

      assert.deepEqual(
        answers.map((one) => one.status).toSorted((x, y) => x - y),
        [200, 422],
      );
    }
    const seen = await list();
    for (const one of seen) assert.equal(one.path.split("/").at(-1), one.slug);
  });

  it("can be deleted only when they are empty", async () => {
    const full = await folder("full/inner");
    const around = (await list()).find((one) => one.path === "full")!;
    const skill = await publish("In full", { folder: "full/inner" });

    assert.equal((await remove(around.id)).code, "folder_not_empty");
    assert.equal((await remove(full.id)).code, "folder_not_empty");
    await service.call("DELETE", `/api/skills/${skill.data.skill.id}`, { token: owner.token });
    await service.settled();
    assert.equal((await remove(full.id)).status, 200);
    assert.equal((await remove(full.id)).code, "not_found");
    assert.equal((await remove(around.id)).status, 200);
    assert.ok(!(await paths()).some((path) => path.startsWith("full")));
  });

  it("return the same error for missing folders and those of another organization", async () => {
    const one = await folder("secret");
    for (const id of [one.id, "0".repeat(24), "nonsense"]) {
      for (const [method, path, body] of [
        ["GET", `/api/folders/${id}`, undefined],
        ["PATCH", `/api/folders/${id}`, { name: "x" }],
        ["DELETE", `/api/folders/${id}`, undefined],
        ["GET", `/api/folders/${id}/access`, undefined],
        ["PUT", `/api/folders/${id}/access`, { restricted: true, grants: [] }],
      ] as const) {
        const answer = await service.call(method, path, { token: stranger.token, body });
        assert.equal(answer.code, "not_found", `${method} ${path}`);
        assert.equal(answer.error, `No folder "${id}" was found.`);
      }
    }
  });
});

describe("concurrent changes of folders", () => {
  before(freshOrg);

  it("create one folder when several calls race for a slug", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => create({ name: at % 2 ? "Same" : "same", parentId: null })),
    );

    assert.equal(answers.filter((one) => one.status === 201).length, 1);
    assert.ok(answers.filter((one) => one.code === "already_exists").length === 19);
    assert.equal((await list()).length, 1);
  });

  it("create either a folder or a skill when both race for a slug", async () => {
    const around = await folder("race");
    for (let round = 0; round < 5; round++) {
      const name = `contested ${round}`;
      const [made, skill] = await Promise.all([
        create({ name, parentId: around.id }),
        publish(name, { folder: "race" }),
      ]);
      assert.equal(skill.status, 201);
      const slug = `contested-${round}`;
      if (made.status === 201) assert.equal(skill.data.skill.slug, `${slug}-2`);
      else assert.deepEqual([made.code, skill.data.skill.slug], ["already_exists", slug]);
    }
  });

  it("do not delete a folder while a skill is published into it", async () => {
    for (let round = 0; round < 8; round++) {
      const one = await folder(`gone${round}`);
      const [removed, skill] = await Promise.all([
        remove(one.id),
        publish(`Late ${round}`, { folder: `gone${round}` }),
      ]);
      const remains = (await list()).some(({ id }) => id === one.id);

      if (skill.status === 201) {
        assert.equal(removed.code, "folder_not_empty");
        assert.ok(remains);
      } else {
        assert.equal(removed.status, 200);
        assert.ok(!remains);
        assert.ok(["not_found", "conflict"].includes(skill.code!), JSON.stringify(skill.body));
      }
    }
  });

  it("create and audit each folder exactly once in forty concurrent calls", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => create({ path: `many/f${at}`, parents: true })),
    );

    assert.ok(answers.every((one) => one.status === 201));
    assert.equal((await paths()).filter((path) => path.startsWith("many/")).length, 40);
    await service.settled();
    const log = await service.app.storage.database.raw
      .collection("audit_events")
      .countDocuments({ tenantId: org.id, name: "folder.created", "metadata.path": /^many/ });
    assert.equal(log, 41, "each is logged once");
  });

  it("allow a depth of a thousand and no more", async () => {
    const path = Array.from({ length: 1000 }, (_, at) => `d${at}`).join("/");
    const made = await create({ path, parents: true });

    assert.equal(made.status, 201);
    assert.equal(made.data.created.length, 1000);
    const deeper = await create({ name: "deeper", parentId: made.data.folder.id });
    assert.equal(deeper.code, "limit_reached");
    const skill = await publish("At the bottom", { folder: path });
    assert.equal(skill.data.skill.folderId, made.data.folder.id);
  });
});

describe("path reservations after a crash", () => {
  before(freshOrg);

  it("are released if nothing uses them, and created if they are missing", async () => {
    const { pathReservations } = service.app.storage;
    const skill = await publish("Placed");
    const one = await folder("placed-folder");
    const raw = service.app.storage.database.raw.collection("places");
    await raw.deleteMany({ ownerId: { $in: [skill.data.skill.id, one.id] } });
    const old = new Date(Date.now() - 3_600_000);
    const stray = {
      tenantId: org.id,
      parentId: null,
      slug: "ghost",
      kind: "skill",
      ownerId: "0".repeat(24),
    } as const;
    await pathReservations.reserve({ _id: service.app.newId(), ...stray, createdAt: old });

    await reconcile(service.app);

    assert.equal((await create({ name: "ghost", parentId: null })).status, 201);
    assert.equal((await create({ name: "placed", parentId: null })).code, "already_exists");
    assert.equal((await remove(one.id)).status, 200);
  });
});
