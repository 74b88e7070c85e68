import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TokenPayload } from "../../contract/payloads/accounts/tokens.ts";
import type {
  CatalogItem,
  PublishResult,
  SkillPayload,
  VersionPayload,
} from "../../contract/payloads/skills/skills.ts";
import type { BuiltInRole, Visibility } from "../../contract/vocabulary.ts";
import { flushDownloads } from "../../src/analytics/downloads.ts";
import { callOk, openModernClient } from "../support/mcp/client.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const users: Partial<Record<BuiltInRole | "stranger", TestUser>> = {};
const skills: Partial<Record<Visibility, SkillPayload>> = {};

const publishAs = (token: string | undefined, body: object) =>
  service.call<PublishResult>("POST", "/api/skills", { token, body: { tenantId: org.slug, ...body } });

async function newMember(role: BuiltInRole): Promise<TestUser> {
  const user = await service.newUser();
  await service.app.storage.memberships.insert({
    _id: service.app.newId(),
    tenantId: org.id,
    tenantSlug: org.slug,
    tenantName: org.slug,
    userId: user.id,
    role,
    createdAt: new Date(),
  });
  return user;
}

async function scopedToken(user: TestUser, fields: object): Promise<string> {
  const made = await service.call<TokenPayload & { token: string }>("POST", "/api/user/tokens", {
    cookie: user.cookie,
    body: { name: "narrow", ...fields },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data.token;
}

const { service } = await setUpService();
users.owner = await service.newUser();
users.stranger = await service.newUser();
const org = await service.newOrg(users.owner);
for (const role of ["admin", "member", "viewer"] as const) users[role] = await newMember(role);
for (const visibility of ["public", "unlisted", "private"] as const) {
  const made = await publishAs(users.owner.token, {
    name: `${visibility} thing`,
    visibility,
    content: "matrix text\n",
  });
  skills[visibility] = made.data.skill;
  await service.call("POST", `/api/skills/${made.data.skill.id}/versions`, {
    token: users.owner.token,
    body: { content: "matrix text 2\n" },
  });
}

const readers = ["anonymous", "stranger", "viewer", "member", "admin", "owner"] as const;
const tokenOf = (reader: (typeof readers)[number]) =>
  reader === "anonymous" ? undefined : users[reader]!.token;

describe("reading a skill", () => {
  it("is allowed to anyone by reference, except private skills, which only members can read", async () => {
    for (const visibility of ["public", "unlisted", "private"] as const) {
      const skill = skills[visibility]!;
      for (const reader of readers) {
        const isMember = reader !== "anonymous" && reader !== "stranger";
        const expected = visibility !== "private" || isMember ? 200 : reader === "anonymous" ? 401 : 404;
        for (const ref of [skill.id, skill.publicId, `${org.slug}~${skill.slug}`]) {
          for (const part of [
            "",
            "/versions",
            "/content",
            "/package",
            "/files/SKILL.md",
            "/manifest",
            "/diff?from=1",
          ]) {
            const answer = await service.raw("GET", `/api/skills/${ref}${part}`, { token: tokenOf(reader) });
            await answer.arrayBuffer();
            assert.equal(answer.status, expected, `${reader} ${visibility} ${ref}${part}`);
          }
        }
      }
    }
  });

  it("returns the same error for hidden and unknown skills", async () => {
    const { stranger } = users;
    for (const token of [undefined, stranger!.token]) {
      for (const part of ["", "/content?version=1", "/versions?limit=1", "/diff?from=1"]) {
        const unseen = await service.call("GET", `/api/skills/${skills.private!.publicId}${part}`, { token });
        const unknown = await service.call("GET", `/api/skills/0123456789${part}`, { token });
        const words = (answer: typeof unseen) =>
          JSON.stringify({ ...answer.body, requestId: "" }).replaceAll(
            skills.private!.publicId,
            "0123456789",
          );
        assert.equal(words(unseen), words(unknown));
      }
      const resolve = (ref: string) => service.call("GET", `/api/skills/resolve?ref=${ref}`, { token });
      const [unseen, unknown] = [await resolve("private-thing"), await resolve("publico-thing")];
      assert.deepEqual([unseen.status, unseen.code], [unknown.status, unknown.code]);
    }
  });

  it("lists public skills in the catalog, and in the organization the skills that members may read", async () => {
    for (const reader of readers) {
      const explored = await service.call<CatalogItem[]>("GET", "/api/explore?query=thing", {
        token: tokenOf(reader),
      });
      assert.deepEqual(
        explored.data.map((item) => item.slug),
        ["public-thing"],
        reader,
      );
      if (reader === "anonymous") continue;
      const listed = await service.call<SkillPayload[]>("GET", "/api/skills", { token: tokenOf(reader) });
      assert.equal(listed.data.length, reader === "stranger" ? 0 : 3, reader);
    }
    const named = await service.call("GET", `/api/skills?tenant_id=${org.slug}`, {
      token: users.stranger!.token,
    });
    assert.equal(named.code, "not_found");
    assert.equal((await service.call("GET", "/api/skills")).code, "unauthenticated");
  });

  it("counts a reader of the page's text once, and not a request that only revalidates it", async () => {
    await service.settled();
    const target = `/s/${skills.public!.publicId}?raw`;
    const counted = (await service.app.storage.skills.find(skills.public!.id))!.downloads;

    const read = await service.raw("GET", target);
    const etag = read.headers.get("etag")!;
    await read.text();
    const held = await service.raw("GET", target, { headers: { "if-none-match": etag } });
    const head = await service.raw("HEAD", target);
    flushDownloads(service.app);
    await service.settled();

    assert.deepEqual([read.status, held.status, head.status], [200, 304, 200]);
    assert.equal((await service.app.storage.skills.find(skills.public!.id))!.downloads, counted + 1);
  });

  it("returns a page to those who may read, and its text to those who ask for Markdown", async () => {
    const page = (reader: (typeof readers)[number], visibility: Visibility, path = "") =>
      service.raw("GET", `/s/${skills[visibility]!.publicId}${path}`, { token: tokenOf(reader) });

    const open = await page("anonymous", "unlisted");
    const asked = await page("anonymous", "private");
    const absent = await page("stranger", "private");
    const text = await page("anonymous", "public", "?raw");

    assert.equal(open.status, 200);
    const shown = await open.text();
    assert.match(shown, new RegExp(`svc install ${service.url}/s/`));
    assert.doesNotMatch(shown, /<script/);
    assert.match(open.headers.get("content-security-policy")!, /default-src 'none'/);
    assert.deepEqual([asked.status, absent.status], [303, 404]);
    assert.match(text.headers.get("content-type")!, /^text\/markdown/);
    // A shared cache must not serve the text to a browser that asks for the page.
    assert.match(text.headers.get("vary")!, /\bAccept\b/);
    assert.match(await text.text(), /matrix text|thing/);
  });
});

describe("changing a skill", () => {
  const acts: [string, string, object | undefined, BuiltInRole[]][] = [
    ["PUT", "", { description: "changed" }, ["owner", "admin", "member"]],
    ["POST", "/versions", { content: "matrix text 2\n" }, ["owner", "admin", "member"]],
    ["POST", "/revert", { version: 2 }, ["owner", "admin", "member"]],
    ["GET", "/analytics", undefined, ["owner", "admin", "member", "viewer"]],
  ];

  it("requires the role: it is forbidden for visible skills, and returns not_found for hidden ones", async () => {
    for (const [method, part, body, allowed] of acts) {
      for (const visibility of ["public", "private"] as const) {
        for (const reader of readers) {
          const answer = await service.call(method, `/api/skills/${skills[visibility]!.id}${part}`, {
            token: tokenOf(reader),
            body,
          });
          const isAllowed = (allowed as string[]).includes(reader);
          const refused = visibility === "public" || reader === "viewer" ? "forbidden" : "not_found";
          const expected = isAllowed ? undefined : reader === "anonymous" ? "unauthenticated" : refused;
          assert.equal(answer.code, expected, `${reader} ${method} ${part} ${visibility}`);
        }
      }
    }
  });

  it("lets members publish but not viewers, and hides the organization from others", async () => {
    const codes: Record<string, string | undefined> = {};
    for (const reader of readers) {
      const answer = await publishAs(tokenOf(reader), { name: `by ${reader}`, content: "x\n" });
      codes[reader] = answer.code;
    }
    const update = await publishAs(users.viewer!.token, {
      mode: "update",
      name: "public thing",
      content: "x\n",
    });

    assert.deepEqual(codes, {
      anonymous: "unauthenticated",
      stranger: "not_found",
      viewer: "forbidden",
      member: undefined,
      admin: undefined,
      owner: undefined,
    });
    assert.equal(update.code, "forbidden");
  });

  it("lets only owners and admins delete", async () => {
    for (const [reader, code] of [
      ["anonymous", "unauthenticated"],
      ["stranger", "forbidden"],
      ["viewer", "forbidden"],
      ["member", "forbidden"],
      ["admin", undefined],
    ] as const) {
      const answer = await service.call("DELETE", `/api/skills/${skills.public!.id}`, {
        token: tokenOf(reader),
      });
      assert.equal(answer.code, code, reader);
    }
  });

  it("shows and hides a skill according to its new visibility", async () => {
    const { id, publicId } = skills.unlisted!;
    const asStranger = () => service.call("GET", `/api/skills/${publicId}`, { token: users.stranger!.token });
    const set = (visibility: Visibility) =>
      service.call("PUT", `/api/skills/${id}`, { token: users.owner!.token, body: { visibility } });

    await set("private");
    const hidden = await asStranger();
    await set("public");
    const shown = await asStranger();
    await service.settled();
    const explored = await service.call<CatalogItem[]>("GET", "/api/explore?query=unlisted");

    assert.equal(hidden.code, "not_found");
    assert.equal(shown.status, 200);
    assert.equal(explored.data.length, 1);
  });
});

describe("a narrowed token", () => {
  it("can do what its scopes allow and no more", async () => {
    const reading = await scopedToken(users.owner!, { scopes: { skill: ["read"] } });
    const auditing = await scopedToken(users.owner!, { scopes: { auditLog: ["read"] } });
    const call = async (token: string, method: string, part: string, body?: object) =>
      (await service.call(method, `/api/skills/${skills.private!.id}${part}`, { token, body })).code;

    assert.equal(await call(reading, "GET", ""), undefined);
    assert.equal(await call(reading, "PUT", "", { name: "x" }), "forbidden");
    assert.equal(await call(reading, "DELETE", ""), "forbidden");
    assert.equal(await call(auditing, "GET", ""), "not_found");
    assert.equal((await publishAs(reading, { name: "scoped", content: "x\n" })).code, "forbidden");
    for (const name of [skills.private!.name, "no such thing"])
      assert.equal(
        (await publishAs(auditing, { mode: "create", name, content: "x\n" })).code,
        "forbidden",
        `"${name}" must not reveal whether it exists`,
      );
    const open = await service.call("GET", `/api/skills/${skills.unlisted!.id}`, { token: auditing });
    assert.equal(open.status, 200, "no less than an anonymous call");
    const listed = await service.call<SkillPayload[]>("GET", "/api/skills", { token: auditing });
    assert.deepEqual(listed.data, []);
  });

  it("reads of a public skill what members alone see only if it may read the skill as one", async () => {
    const publish = async (folder: string) => {
      const made = await service.call<PublishResult>("POST", "/api/skills", {
        token: users.owner!.token,
        body: {
          tenantId: org.slug,
          name: `In ${folder}`,
          content: "Text.\n",
          visibility: "public",
          folder: `/${folder}`,
          createFolders: true,
          contentLocation: "git:git.internal/secret/kit",
        },
      });
      assert.equal(made.status, 201, made.error);
      return made.data.skill;
    };
    const [{ id, folderId }, other] = [await publish("own"), await publish("other")];
    const ask = async (fields: object) => {
      const token = await scopedToken(users.owner!, { ...fields, expiresInDays: 7 });
      const [one] = (await service.call<VersionPayload[]>("GET", `/api/skills/${id}/versions`, { token }))
        .data;
      const found = await service.call<SkillPayload>("GET", `/api/skills/${id}`, { token });
      const client = await openModernClient(service, token);
      const { data } = await callOk<{ versions: VersionPayload[] }>(client, "list_versions", { skill: id });
      await client.close();
      const isShown = [one!.contentLocation, found.data.findings, data.versions[0]!.contentLocation].map(
        (value) => value !== undefined,
      );
      assert.equal(new Set(isShown).size, 1, JSON.stringify(isShown));
      return isShown[0];
    };

    assert.equal(await ask({}), true);
    assert.equal(await ask({ scopes: { skill: ["read"] } }), true);
    assert.equal(await ask({ scopes: { auditLog: ["read"] } }), false);
    assert.equal(await ask({ allowedFolderIds: [folderId] }), true);
    assert.equal(await ask({ allowedFolderIds: [other.folderId] }), false);
  });

  it("loses what its holder loses, from the next call on", async () => {
    const member = await newMember("member");
    const target = `/api/skills/${skills.private!.id}`;

    const earlier = await service.call("GET", target, { token: member.token });
    await service.app.storage.database.raw
      .collection("memberships")
      .deleteOne({ userId: member.id, tenantId: org.id });
    const later = await service.call("GET", target, { token: member.token });

    assert.deepEqual([earlier.status, later.status], [200, 404]);
  });
});
