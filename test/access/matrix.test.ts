/**
 * Every kind of caller, against every visibility and restriction, by every act, over REST and through the client: the
 * outcome is the pure decision's. What the decision is asked is written down here by hand, so the facts that the service
 * loads are checked along with it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { CatalogItem, PublishResult, SkillPayload } from "../../contract/payloads.ts";
import type { FolderPayload } from "../../contract/payloads-folders.ts";
import { visibilities, type FolderLevel, type Permission } from "../../contract/vocabulary.ts";
import type { Actor, TokenLimits } from "../../src/access/actor.ts";
import { decideSkill, mayInPlace, type PlaceFacts, type Verdict } from "../../src/access/decide.ts";
import { permissionsOfRole } from "../../src/access/permissions.ts";
import { openCli, type Cli } from "../support/cli.ts";
import { governed, newFolder, newMember, restrict } from "../support/organization.ts";
import {
  startService,
  type Answer,
  type TestOrg,
  type TestService,
  type TestUser,
} from "../support/service.ts";

const origin = { ipHash: "h", source: "api", client: "api" } as const;
const statusOf: Record<Verdict, number> = { allowed: 200, absent: 404, refused: 403, unauthenticated: 401 };
const cliCodeOf: Record<Verdict, string> = {
  allowed: "",
  absent: "E_NOT_FOUND",
  refused: "E_FORBIDDEN",
  unauthenticated: "E_NOT_AUTHENTICATED",
};

/** Where skills lie. `vault` and `inner` are restricted; `sub` is not, and lies in `vault`. */
const places = ["root", "open", "vault", "sub", "inner"] as const;
type Place = (typeof places)[number];
const pathOf: Record<Place, string> = {
  root: "/",
  open: "open",
  vault: "open/vault",
  sub: "open/vault/sub",
  inner: "open/vault/inner",
};
const around: Record<Place, Place[]> = {
  root: [],
  open: ["open"],
  vault: ["vault", "open"],
  sub: ["sub", "vault", "open"],
  inner: ["inner", "vault", "open"],
};
const governs: Record<Place, Place | null> = {
  root: null,
  open: null,
  vault: "vault",
  sub: "vault",
  inner: "inner",
};

interface Caller {
  name: string;
  token: string | undefined;
  actor: Actor;
  /** The caller's grants, by the folder they are on. */
  grants: Partial<Record<Place, FolderLevel>>;
}

interface Skill {
  place: Place;
  payload: SkillPayload;
}

let service: TestService;
let owner: TestUser;
let org: TestOrg;
const folders = new Map<Place, FolderPayload>();
const callers: Caller[] = [];
const skills: Skill[] = [];
let cli: Cli;
let home: string;

before(async () => {
  service = await startService();
  owner = await service.newUser();
  org = await service.newOrg(owner);
  for (const place of places.slice(1))
    folders.set(place, await newFolder(service, org, owner, pathOf[place]));
  await makeSkills();
  await makeCallers();
  await governed(service, org);
  home = mkdtempSync(path.join(os.tmpdir(), "svc-matrix-"));
  cli = openCli({ home, cwd: home, apiUrl: () => service.url });
});
after(async () => {
  await service.close();
  rmSync(home, { recursive: true, force: true });
});

async function makeSkills(): Promise<void> {
  for (const place of places) {
    for (const visibility of visibilities) {
      const made = await service.call<PublishResult>("POST", "/api/skills", {
        token: owner.token,
        body: {
          tenantId: org.slug,
          name: `${place} ${visibility}`,
          content: `matrix ${place}\n`,
          visibility,
          folder: pathOf[place],
        },
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      skills.push({ place, payload: made.data.skill });
    }
  }
}

async function makeCallers(): Promise<void> {
  const idOf = (place: Place) => folders.get(place)!.id;
  const team = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/teams`, {
    token: owner.token,
    body: { name: "Vault keepers" },
  });
  assert.equal(team.status, 201, JSON.stringify(team.body));
  const stranger = await service.newUser();
  await service.newOrg(stranger);
  const people = {
    owner,
    admin: await newMember(service, org, "admin"),
    member: await newMember(service, org, "member"),
    viewer: await newMember(service, org, "viewer"),
    reader: await newMember(service, org, "member"),
    editor: await newMember(service, org, "member"),
    manager: await newMember(service, org, "member"),
    keeper: await newMember(service, org, "member", [team.data.id]),
    watcher: await newMember(service, org, "viewer"),
    insider: await newMember(service, org, "member"),
  };
  const grant = (user: TestUser, level: FolderLevel) => ({ type: "member", id: user.id, level }) as const;
  await restrict(service, owner, idOf("vault"), [
    grant(people.reader, "viewer"),
    grant(people.editor, "editor"),
    grant(people.manager, "manager"),
    grant(people.watcher, "manager"),
    { type: "team", id: team.data.id, level: "editor" },
  ]);
  await restrict(service, owner, idOf("inner"), [grant(people.insider, "editor")]);

  const add = (
    name: string,
    user: TestUser,
    role: string | undefined,
    grants: Caller["grants"] = {},
    limited?: { token: string; limits: TokenLimits },
  ) =>
    callers.push({
      name,
      token: limited?.token ?? user.token,
      actor: {
        kind: "user",
        userId: user.id,
        username: user.username,
        name: user.username,
        isAdministrator: false,
        memberships: role === undefined ? [] : [membershipOf(role)],
        via: { kind: "token", tokenId: "t", limits: limited?.limits ?? {} },
        origin,
      },
      grants,
    });
  const narrowed = async (user: TestUser, limits: TokenLimits) => {
    const made = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      token: user.token,
      body: { name: "narrow", ...limits },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return { token: made.data.token, limits: byPlace(limits) };
  };
  const byPlace = (limits: TokenLimits): TokenLimits =>
    limits.allowedFolderIds
      ? {
          ...limits,
          allowedFolderIds: places.filter(
            (place) => place !== "root" && limits.allowedFolderIds!.includes(idOf(place)),
          ),
        }
      : limits;

  callers.push({ name: "anonymous", token: undefined, actor: { kind: "anonymous", origin }, grants: {} });
  add("stranger", stranger, undefined);
  add("owner", owner, "owner");
  add("admin", people.admin, "admin");
  add("member", people.member, "member");
  add("viewer", people.viewer, "viewer");
  add("member with a viewer's grant", people.reader, "member", { vault: "viewer" });
  add("member with an editor's grant", people.editor, "member", { vault: "editor" });
  add("member with a manager's grant", people.manager, "member", { vault: "manager" });
  add("member of a granted team", people.keeper, "member", { vault: "editor" });
  add("viewer with a manager's grant", people.watcher, "viewer", { vault: "manager" });
  add("member with a grant further in", people.insider, "member", { inner: "editor" });
  add("owner's reading token", owner, "owner", {}, await narrowed(owner, { scopes: { skill: ["read"] } }));
  add("owner's log token", owner, "owner", {}, await narrowed(owner, { scopes: { auditLog: ["read"] } }));
  add(
    "owner's token for vault",
    owner,
    "owner",
    {},
    await narrowed(owner, { allowedFolderIds: [idOf("vault")] }),
  );
  add(
    "editor's token for sub",
    people.editor,
    "member",
    { vault: "editor" },
    await narrowed(people.editor, { allowedFolderIds: [idOf("sub")], scopes: { skill: ["read", "update"] } }),
  );

  for (const [name, limits] of [
    ["organization token", {}],
    ["organization's reading token", { scopes: { skill: ["read"] } }],
    ["organization's token for vault", { allowedFolderIds: [idOf("vault")] }],
  ] as [string, TokenLimits][]) {
    const made = await service.call<{ token: string }>("POST", `/api/tenants/${org.slug}/tokens`, {
      token: owner.token,
      body: { name, ...limits },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const own = { ...membershipOf("token"), permissions: permissionsOfRole("admin") };
    const actor: Actor = {
      kind: "organization",
      tokenId: "t",
      tokenName: name,
      memberships: [own],
      limits: byPlace(limits),
      origin,
    };
    callers.push({ name, token: made.data.token, actor, grants: {} });
  }
}

function membershipOf(role: string) {
  return {
    tenantId: org.id,
    tenantSlug: org.slug,
    tenantName: org.slug,
    role,
    teamIds: [],
    permissions: permissionsOfRole(role),
  };
}

function factsFor(caller: Caller, place: Place): PlaceFacts | null {
  if (place === "root") return null;
  const governing = governs[place];
  return {
    folderIds: around[place],
    governing: governing && { folderId: governing, level: caller.grants[governing] ?? null },
  };
}

const decide = (caller: Caller, permission: Permission, skill: Skill): Verdict =>
  decideSkill(caller.actor, permission, {
    tenantId: org.id,
    visibility: skill.payload.visibility,
    place: factsFor(caller, skill.place),
  });

/** Acts that change nothing where they are allowed, so that every caller meets the same skills. */
const acts: [Permission, string, (skill: Skill) => [method: string, path: string, body?: unknown]][] = [
  ["skill:read", "read", ({ payload }) => ["GET", `/api/skills/${payload.id}`]],
  ["skill:read", "resolve", ({ payload }) => ["GET", `/api/skills/resolve?ref=${org.slug}/${payload.slug}`]],
  ["skill:read", "versions", ({ payload }) => ["GET", `/api/skills/${payload.publicId}/versions`]],
  ["skill:read", "content", ({ payload }) => ["GET", `/api/skills/${org.slug}~${payload.slug}/content`]],
  ["skill:read", "manifest", ({ payload }) => ["GET", `/api/skills/${payload.id}/manifest?version=1`]],
  ["skill:read", "diff", ({ payload }) => ["GET", `/api/skills/${payload.id}/diff?from=1&to=1`]],
  ["skill:update", "settings", ({ payload }) => ["PUT", `/api/skills/${payload.id}`, { tags: [] }]],
  [
    "skill:update",
    "push",
    ({ payload, place }) => ["POST", `/api/skills/${payload.id}/versions`, { content: `matrix ${place}\n` }],
  ],
  ["skill:update", "revert", ({ payload }) => ["POST", `/api/skills/${payload.id}/revert`, { version: 1 }]],
  ["analytics:read", "analytics", ({ payload }) => ["GET", `/api/skills/${payload.id}/analytics`]],
];

describe("what each caller may do with each skill, over REST", () => {
  for (const [permission, name, call] of acts) {
    it(`${name} as decided by ${permission}`, async () => {
      for (const caller of callers) {
        for (const skill of skills) {
          const [method, target, body] = call(skill);
          const answer = await service.call(method, target, { token: caller.token, body });
          const verdict = decide(caller, permission, skill);
          const expected = verdict === "allowed" && answer.status === 201 ? 201 : statusOf[verdict];
          assert.equal(answer.status, expected, `${caller.name}: ${name} of ${skill.payload.name}`);
        }
      }
    });
  }

  it("deletes for nobody who may not, and creates where they may", async () => {
    for (const caller of callers) {
      for (const skill of skills) {
        const verdict = decide(caller, "skill:delete", skill);
        if (verdict === "allowed") continue;
        const answer = await service.call("DELETE", `/api/skills/${skill.payload.id}`, {
          token: caller.token,
        });
        assert.equal(answer.status, statusOf[verdict], `${caller.name}: delete of ${skill.payload.name}`);
      }
      for (const place of places) {
        const answer = await service.call("POST", "/api/skills", {
          token: caller.token,
          body: {
            tenantId: org.slug,
            name: `by ${caller.name} in ${place}`,
            content: "x\n",
            folder: pathOf[place],
            tags: ["made"],
          },
        });
        const isAllowed = mayInPlace(caller.actor, "skill:create", org.id, factsFor(caller, place));
        const refusals = caller.actor.kind === "anonymous" ? [401] : [403, 404];
        const told = `${caller.name}: create in ${place}: ${answer.status} ${answer.error}`;
        assert.ok(isAllowed ? answer.status === 201 : refusals.includes(answer.status), told);
      }
    }
    await service.settled();
    const made = await service.app.storage.database.raw.collection("skills").find({ tags: "made" }).toArray();
    for (const { _id } of made)
      await service.call("DELETE", `/api/skills/${String(_id)}`, { token: owner.token });
    await service.settled();
  });
});

describe("what each caller is shown in lists, over REST", () => {
  const slugs = (answer: { data: { slug: string }[] }) => answer.data.map((skill) => skill.slug).toSorted();
  const readable = (caller: Caller, where: (skill: Skill) => boolean = () => true) =>
    skills
      .filter(where)
      .filter((skill) => mayInPlace(caller.actor, "skill:read", org.id, factsFor(caller, skill.place)))
      .map((skill) => skill.payload.slug)
      .toSorted();

  it("the skills of their organizations: all that they may read there, and no others", async () => {
    for (const caller of callers) {
      const { token } = caller;
      if (token === undefined) continue;
      for (const query of ["", "&query=matrix", `&tenant_id=${org.slug}`]) {
        const target: string = `/api/skills?limit=200${query}`;
        const answer: Answer<SkillPayload[]> = await service.call("GET", target, { token });
        if (query.includes("tenant_id") && caller.name === "stranger") {
          assert.equal(answer.code, "not_found");
        } else assert.deepEqual(slugs(answer), readable(caller), `${caller.name}: ${target}`);
      }
      for (const place of places) {
        const id = place === "root" ? "root" : folders.get(place)!.id;
        const answer: Answer<SkillPayload[]> = await service.call("GET", `/api/skills?folder_id=${id}`, {
          token,
        });
        const expected = readable(caller, (skill) => skill.place === place);
        if (answer.status === 404) assert.deepEqual(expected, [], `${caller.name}: ${place}`);
        else assert.deepEqual(slugs(answer), expected, `${caller.name}: ${place}`);
      }
    }
  });

  it("page by page, each full or the last", async () => {
    for (const caller of callers.filter((one) => one.token !== undefined)) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const target: string = `/api/skills?limit=2${cursor ? `&cursor=${cursor}` : ""}`;
        const page: Answer<SkillPayload[]> = await service.call("GET", target, { token: caller.token });
        cursor = page.nextCursor ?? null;
        if (cursor) assert.equal(page.data.length, 2, caller.name);
        seen.push(...page.data.map((skill) => skill.slug));
      } while (cursor);
      assert.deepEqual(seen.toSorted(), readable(caller), caller.name);
    }
  });

  it("the catalog: what is public and unrestricted, to everybody alike", async () => {
    const expected = ["open-public", "root-public"];
    for (const { token, name } of callers)
      for (const query of ["", "?query=matrix", "?sort=downloads", "?query=public"]) {
        const answer: Answer<CatalogItem[]> = await service.call("GET", `/api/explore${query}`, { token });
        assert.deepEqual(slugs(answer), expected, `${name}: ${query}`);
      }
  });

  it("the folders: those they may read in and the way there, with counts of what they may read", async () => {
    for (const caller of callers) {
      if (caller.token === undefined || caller.name === "stranger") continue;
      const answer: Answer<FolderPayload[]> = await service.call("GET", `/api/tenants/${org.slug}/folders`, {
        token: caller.token,
      });
      const reads = (place: Place) => mayInPlace(caller.actor, "skill:read", org.id, factsFor(caller, place));
      const named = places.filter((place) => place !== "root");
      const expected = named
        .filter((place) => named.some((inside) => around[inside].includes(place) && reads(inside)))
        .map((place) => `${pathOf[place]}: ${reads(place) ? visibilities.length : 0}`)
        .toSorted();
      assert.deepEqual(
        answer.data.map((folder) => `${folder.path}: ${folder.skillCount}`).toSorted(),
        expected,
        caller.name,
      );
    }
  });
});

describe("what each caller may do, through the client", () => {
  const some = [
    "stranger",
    "viewer",
    "member",
    "member with an editor's grant",
    "owner's reading token",
    "organization's token for vault",
  ];

  it("versions and push come out as decided", async () => {
    for (const caller of callers.filter(({ name }) => some.includes(name))) {
      const env = { SVC_TOKEN: caller.token! };
      for (const place of ["open", "vault", "inner"] as const) {
        const skill = skills.find((one) => one.place === place && one.payload.visibility === "public")!;
        const ref = `${org.slug}/${skill.payload.slug}`;
        const file = path.join(home, `${place}.md`);
        writeFileSync(file, `matrix ${place}\n`);
        for (const [permission, args] of [
          ["skill:read", ["versions", ref]],
          ["skill:update", ["push", file, "--skill", ref]],
        ] as const) {
          const verdict = decide(caller, permission, skill);
          if (verdict === "allowed") await cli.json(args, { env });
          else
            assert.equal(
              (await cli.failure(args, { env })).code,
              cliCodeOf[verdict],
              `${caller.name}: ${args.join(" ")}`,
            );
        }
      }
    }
  });
});
