/** Collections: what their members and strangers see of them, who may change them, and in which order they are. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type {
  CollectionDetailPayload,
  CollectionPayload,
  PublicCollectionPayload,
} from "../../contract/payloads/skills/collections.ts";
import { keepUnreadable } from "../../src/skills/collections/members.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { Answer } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();
const member = await newMember(service, org, "member");
const viewer = await newMember(service, org, "viewer");
const base = `/api/tenants/${org.slug}/collections`;
const explore = `/api/explore/organizations/${org.slug}/collections`;

const call = <T = CollectionDetailPayload>(
  method: string,
  path: string,
  body?: unknown,
  token: string | null = owner.token,
): Promise<Answer<T>> => service.call<T>(method, path, { token: token ?? undefined, body });
const publish = (name: string, fields: object = {}) =>
  publishSkill(service, org, owner, { name, createFolders: true, ...fields });

async function create(fields: object, token = owner.token): Promise<CollectionDetailPayload> {
  const made = await call("POST", base, fields, token);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data;
}
const slugs = ({ skills }: { skills: { slug: string }[] }) => skills.map(({ slug }) => slug);
const list = async (token: string) => (await call<CollectionPayload[]>("GET", base, undefined, token)).data;
const listPublic = async () => (await call<PublicCollectionPayload[]>("GET", explore, undefined, null)).data;

const open = await publish("Open", { visibility: "public" });
const linked = await publish("Linked", { visibility: "unlisted" });
const inner = await publish("Inner");
const vault = await newFolder(service, org, owner, "vault");
const secret = await publish("Secret", { folder: "vault", visibility: "public" });
await restrict(service, owner, vault.id, [{ type: "member", id: member.id, level: "editor" }]);
await service.settled();

describe("a collection", () => {
  it("has its skills in an order, which a change replaces, with one event each", async () => {
    const made = await create({
      name: "Getting started",
      description: "First steps.",
      skills: [inner.id, "open"],
    });
    assert.equal(made.slug, "getting-started");
    assert.deepEqual(slugs(made), ["inner", "open"]);

    const changed = await call("PATCH", `${base}/getting-started`, {
      name: "Start here",
      skills: ["open", "linked", "inner"],
      revision: 1,
    });
    const late = await call("PATCH", `${base}/${made.id}`, { name: "Late", revision: 1 });
    const same = await call("PATCH", `${base}/${made.id}`, { name: "Start here" });

    assert.deepEqual(slugs(changed.data), ["open", "linked", "inner"]);
    assert.equal(changed.data.slug, "getting-started");
    assert.equal(late.code, "conflict");
    assert.equal(same.data.revision, 2);
    assert.equal((await call("DELETE", `${base}/${made.id}`)).status, 200);
    assert.equal((await call("GET", `${base}/getting-started`)).code, "not_found");
    await service.settled();
    const { entries } = (
      await call<{ entries: { action: string; metadata: object }[] }>(
        "GET",
        `/api/tenants/${org.slug}/audit-log?action=collection.*`,
      )
    ).data;
    assert.deepEqual(
      entries.map(({ action }) => action),
      ["collection.deleted", "collection.updated", "collection.created"],
    );
  });

  it("gets a free slug from its name, and refuses a taken one", async () => {
    const [first, second] = [await create({ name: "Twice" }), await create({ name: "Twice" })];
    assert.deepEqual([first.slug, second.slug], ["twice", "twice-2"]);
    assert.equal((await call("POST", base, { name: "x", slug: "twice" })).code, "already_exists");
    assert.equal((await call("POST", base, { name: "技能" })).code, "invalid_request");
    for (const { id } of [first, second]) await call("DELETE", `${base}/${id}`);
  });

  it("refuses skills of other organizations and missing ones alike", async () => {
    const other = await service.newUser();
    const elsewhere = await service.newOrg(other);
    const theirs = await publishSkill(service, elsewhere, other, { name: "Theirs", visibility: "public" });
    for (const skill of [theirs.id, theirs.slug, "0".repeat(24), "nothing"]) {
      const refused = await call("POST", base, { name: "Mixed", skills: [skill] });
      assert.equal(refused.error, `No skill "${skill}" was found.`);
    }
    const twice = await call("POST", base, { name: "Twice", skills: ["open", open.id] });
    assert.deepEqual(slugs(twice.data), ["open"]);
    await call("DELETE", `${base}/twice`);
  });

  it("loses a skill that is deleted", async () => {
    const doomed = await publish("Doomed");
    const { slug, id } = await create({ name: "Losing", skills: [doomed.id, open.id] });
    await call("DELETE", `/api/skills/${doomed.id}`);
    assert.deepEqual(slugs((await call("GET", `${base}/${slug}`)).data), ["open"]);
    await service.settled();
    await eraseSkill(service.app, { tenantId: org.id, skillId: doomed.id });
    const stored = await service.app.storage.skillCollections.find(org.id, id);
    assert.deepEqual(stored?.skillIds, [open.id]);
    await call("DELETE", `${base}/${slug}`);
  });

  it("keeps its folder from being deleted", async () => {
    const folder = await newFolder(service, org, owner, "shelf");
    const { slug } = await create({ name: "Shelf", folderId: folder.id });
    assert.equal((await call("DELETE", `/api/folders/${folder.id}`)).code, "folder_not_empty");
    await call("DELETE", `${base}/${slug}`);
    assert.equal((await call("DELETE", `/api/folders/${folder.id}`)).status, 200);
  });
});

describe("the readers of a collection", () => {
  it("see the skills in it that they may read, and its editors which of them some readers may not", async () => {
    const { slug } = await create({
      name: "Mixed",
      public: true,
      skills: [secret.id, open.id, inner.id, linked.id],
    });
    const read = async (token: string) => (await call("GET", `${base}/${slug}`, undefined, token)).data;
    const count = async (token: string) => (await list(token)).find((one) => one.slug === slug)?.skillCount;

    const seen = await read(owner.token);
    assert.deepEqual(
      seen.skills.map((skill) => [skill.slug, skill.hiddenFrom]),
      [
        ["secret", "members"],
        ["open", undefined],
        ["inner", "visitors"],
        ["linked", "visitors"],
      ],
    );
    assert.deepEqual(slugs(await read(member.token)), ["secret", "open", "inner", "linked"]);
    const asViewer = await read(viewer.token);
    assert.deepEqual(slugs(asViewer), ["open", "inner", "linked"]);
    assert.ok(asViewer.skills.every(({ hiddenFrom }) => hiddenFrom === undefined));
    assert.deepEqual([await count(owner.token), await count(viewer.token)], [4, 3]);
    assert.deepEqual([seen.canUpdate, asViewer.canUpdate], [true, false]);
    await call("DELETE", `${base}/${slug}`);
  });

  it("are those of its folder, whose editors change it", async () => {
    const made = await create({ name: "Guarded", folderId: vault.id, skills: ["secret"] }, member.token);
    assert.deepEqual(
      made.skills.map(({ hiddenFrom }) => hiddenFrom),
      [undefined],
    );
    assert.ok(!(await list(viewer.token)).some(({ slug }) => slug === "guarded"));
    const missing = await call("GET", `${base}/never-was`, undefined, viewer.token);
    const hidden = await call("GET", `${base}/guarded`, undefined, viewer.token);
    assert.equal(hidden.error, missing.error!.replace("never-was", "guarded"));
    const opened = await call("PATCH", `${base}/guarded`, { public: true }, member.token);
    assert.equal(opened.code, "invalid_request");
    assert.equal((await call("POST", base, { name: "Root" }, member.token)).code, "forbidden");
    await call("DELETE", `${base}/guarded`, undefined, member.token);
  });

  it("who change it keep the skills in it that they may not read", async () => {
    const role = await call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      name: "Curator",
      permissions: { skill: ["read"], organization: ["update"] },
    });
    const curator = await newMember(service, org, role.data.id);
    const { slug } = await create({ name: "Kept", skills: ["open", "secret", "inner"] });
    const changed = await call("PATCH", `${base}/${slug}`, { skills: ["inner", "open"] }, curator.token);
    assert.deepEqual(slugs(changed.data), ["inner", "open"]);
    assert.deepEqual(slugs((await call("GET", `${base}/${slug}`)).data), ["inner", "open", "secret"]);
    const added = await call("PATCH", `${base}/${slug}`, { skills: ["secret"] }, curator.token);
    assert.equal(added.code, "not_found");
    await call("DELETE", `${base}/${slug}`);
  });
});

describe("the order of changed skills", () => {
  const cases: [before: string, wanted: string, expected: string][] = [
    ["aXb", "ba", "baX"],
    ["Xab", "ba", "Xba"],
    ["aXYb", "b", "XYb"],
    ["abX", "a", "aX"],
    ["aX", "bca", "bcaX"],
    ["", "ab", "ab"],
  ];
  for (const [before, wanted, expected] of cases)
    it(`keeps the unreadable ones of ${before || "none"} with ${wanted}: ${expected}`, () => {
      const merged = keepUnreadable(before.split(""), wanted.split(""), new Set(["X", "Y"]));
      assert.equal(merged.join(""), expected);
    });
});

describe("a stranger", () => {
  it("sees public collections, with their public skills only", async () => {
    await create({
      name: "Shown",
      description: "For all.",
      public: true,
      skills: ["secret", "inner", "open"],
    });
    await create({ name: "Kept in", skills: ["open"] });
    await create({ name: "Without", public: true, skills: ["inner", "linked", "secret"] });

    const found = await listPublic();
    assert.deepEqual(
      found.map((one) => [one.slug, one.skillCount, slugs(one)]),
      [["shown", 1, ["open"]]],
    );
    assert.ok(!JSON.stringify(found).includes(inner.id));
    const whole = await call<PublicCollectionPayload>("GET", `${explore}/shown`, undefined, null);
    assert.deepEqual(whole.data, found[0]);
    const missing = await call("GET", `${explore}/never-was`, undefined, null);
    for (const slug of ["kept-in", "without"]) {
      const hidden = await call("GET", `${explore}/${slug}`, undefined, null);
      assert.deepEqual([hidden.status, hidden.error], [missing.status, missing.error]);
    }
    for (const slug of ["shown", "kept-in", "without"]) await call("DELETE", `${base}/${slug}`);
    assert.deepEqual(await listPublic(), []);
  });

  it("sees the first six skills of each in a list, and all in the collection", async () => {
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, at) => publish(`Many ${at}`, { visibility: "public" })),
    );
    await service.settled();
    await create({ name: "Many", public: true, skills: many.map(({ id }) => id) });
    const [listed] = await listPublic();
    assert.deepEqual([listed!.skillCount, listed!.skills.length], [8, 6]);
    const whole = await call<PublicCollectionPayload>("GET", `${explore}/many`, undefined, null);
    assert.deepEqual(
      slugs(whole.data),
      many.map(({ slug }) => slug),
    );
    await call("DELETE", `${base}/many`);
  });

  it("gets the same response for an organization without public skills as for none", async () => {
    const other = await service.newUser();
    const hidden = await service.newOrg(other);
    await service.call("POST", `/api/tenants/${hidden.slug}/collections`, {
      token: other.token,
      body: { name: "Hidden", public: true },
    });
    const [a, b] = await Promise.all(
      [hidden.slug, "never-was"].map((slug) =>
        service.call("GET", `/api/explore/organizations/${slug}/collections`),
      ),
    );
    assert.deepEqual([a!.status, a!.error], [b!.status, b!.error]);
  });
});

describe("the order of collections", () => {
  it("is the organization's, the same for members and strangers", async () => {
    for (const name of ["One", "Two", "Three"]) await create({ name, public: true, skills: ["open"] });
    const order = (collections: string[], token = owner.token) =>
      call("PUT", `/api/tenants/${org.slug}/collection-order`, { collections }, token);

    assert.equal((await order(["three", "one"])).status, 200);
    const expected = ["three", "one", "two"];
    assert.deepEqual(
      (await list(viewer.token)).map(({ slug }) => slug),
      expected,
    );
    assert.deepEqual(
      (await listPublic()).map(({ slug }) => slug),
      expected,
    );
    assert.equal((await order(["nothing"])).code, "not_found");
    assert.equal((await order(["one"], member.token)).code, "forbidden");
    await create({ name: "Four" });
    assert.deepEqual(
      (await list(owner.token)).map(({ slug }) => slug),
      [...expected, "four"],
    );
    for (const slug of [...expected, "four"]) await call("DELETE", `${base}/${slug}`);
  });
});

describe("a collection for a token that is limited to its folder", () => {
  it("has the public skills, and no unlisted one that only its link would show", async () => {
    const shelf = await newFolder(service, org, owner, "shelf");
    const refs = ["open", "linked", "inner"];
    await create({ name: "Shelf", folderId: shelf.id, skills: refs });
    const made = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: owner.cookie,
      body: { name: "narrow", allowedFolderIds: [shelf.id], expiresInDays: 7 },
    });
    const { token } = made.data;

    const read = await call("GET", `${base}/shelf`, undefined, token);
    const counts = (await list(token)).map(({ slug, skillCount }) => [slug, skillCount]);
    const changed = await call("PATCH", `${base}/shelf`, { skills: [] }, token);

    assert.deepEqual([slugs(read.data), read.data.skillCount], [["open"], 1]);
    assert.deepEqual(counts, [["shelf", 1]]);
    assert.deepEqual(slugs(changed.data), []);
    assert.deepEqual(
      slugs((await call("GET", `${base}/shelf`, undefined, viewer.token)).data),
      refs.slice(1),
    );
    await call("DELETE", `${base}/shelf`);
  });
});

describe("limits of collections", () => {
  it("are those of the organization and of one collection", async () => {
    const ids = Array.from({ length: limits.collectionsPerOrganization }, (_, at) => `Limit ${at}`);
    for (const name of ids) await create({ name });
    assert.equal((await call("POST", base, { name: "One more" })).code, "limit_reached");
    for (let at = 0; at < ids.length; at++) await call("DELETE", `${base}/limit-${at}`);

    const refs = Array.from({ length: 10 * limits.skillsPerCollection + 1 }, (_, at) => `s-${at}`);
    assert.equal((await call("POST", base, { name: "Huge", skills: refs })).code, "invalid_request");
    for (const name of ["", "a\u202eb", "x".repeat(limits.collectionName + 1), "a\nb"])
      assert.equal((await call("POST", base, { name })).code, "invalid_request", JSON.stringify(name));
  });
});
