/** Everybody who could ask, and skills of every visibility in every kind of place, for the matrix of access. */
import assert from "node:assert/strict";
import type { FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { visibilities, type FolderLevel } from "../../contract/vocabulary.ts";
import type { Actor, TokenLimits } from "../../src/access/actor.ts";
import type { AccessContext, Verdict } from "../../src/access/decide.ts";
import {
  anonymousKeyPermissions,
  organizationTokenPermissions,
  permissionsOfRole,
} from "../../src/access/permissions.ts";
import { newIdentity, signedCall, type Identity } from "../support/anonymous.ts";
import { startCiIssuer, type CiIssuer } from "../support/ci/issuer.ts";
import { governed, newFolder, newMember, restrict } from "../support/organization.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";

const origin = { ipHash: "h", source: "api", client: "api" } as const;

/** Folders of the skills. `vault` and `inner` are restricted; `sub`, in `vault`, is not. */
export const places = ["root", "open", "vault", "sub", "inner"] as const;
export type Place = (typeof places)[number];
export const pathOf: Record<Place, string> = {
  root: "/",
  open: "open",
  vault: "open/vault",
  sub: "open/vault/sub",
  inner: "open/vault/inner",
};
export const around: Record<Place, Place[]> = {
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

export interface Caller {
  name: string;
  token: string | undefined;
  /** Signs its calls in place of a token. */
  identity?: Identity;
  actor: Actor;
  /** The caller's grants, by the folder they are on. */
  grants: Partial<Record<Place, FolderLevel>>;
}

export interface Skill {
  place: Place;
  payload: SkillPayload;
}

export const statusOf: Record<Verdict, number> = {
  allowed: 200,
  absent: 404,
  refused: 403,
  unauthenticated: 401,
};
export let service: TestService;
export let owner: TestUser;
export let org: TestOrg;
export const folders = new Map<Place, FolderPayload>();
export const callers: Caller[] = [];
export const skills: Skill[] = [];
let issuer: CiIssuer;

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
  // The team owns every skill, which gives its member no right.
  for (const { payload } of skills) {
    const body = { ownerTeamId: team.data.id };
    const path = `/api/skills/${payload.id}`;
    assert.equal((await service.call("PUT", path, { token: owner.token, body })).status, 200);
  }
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
  const identity = await newIdentity(service);
  callers.push({
    name: "anonymous key",
    token: undefined,
    identity,
    actor: {
      kind: "anonymous-key",
      identityId: identity.id,
      username: identity.username,
      // Its one tenant is itself.
      memberships: [
        {
          tenantId: identity.id,
          tenantSlug: identity.username,
          tenantName: identity.username,
          role: "anonymous",
          teamIds: [],
          permissions: anonymousKeyPermissions,
        },
      ],
      origin,
    },
    grants: {},
  });
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
    const own = { ...membershipOf("token"), permissions: organizationTokenPermissions };
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
  await addPipelines();
}

/** Pipelines that exchange their identities for tokens, which a policy limits to skills or not at all. */
async function addPipelines(): Promise<void> {
  const own = { ...membershipOf("token"), permissions: organizationTokenPermissions };
  const named = skills.filter(
    ({ place, payload }) => payload.visibility === "private" && ["root", "vault"].includes(place),
  );
  for (const [name, limits] of [
    ["pipeline", {}],
    [
      "pipeline of two skills",
      { scopes: { skill: ["read", "update"] }, skillIds: named.map(({ payload }) => payload.id) },
    ],
  ] as [string, TokenLimits][]) {
    const repository = `matrix/${name.replaceAll(" ", "-")}`;
    const made = await service.call("POST", `/api/tenants/${org.slug}/oidc-policies`, {
      token: owner.token,
      body: { name, provider: "github", repository, ref: "refs/heads/main", ...limits },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const exchanged = await service.call<{ token: string }>("POST", "/api/auth/oidc/exchange", {
      body: { token: await issuer.mint(service.url, { repository }), team: org.slug },
    });
    assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body));
    const actor: Actor = {
      kind: "organization",
      tokenId: "t",
      tokenName: name,
      memberships: [own],
      limits,
      origin,
    };
    callers.push({ name, token: exchanged.data.token, actor, grants: {} });
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

/** A call as the caller makes it: with a token, with a signature, or with neither. */
export function callAs(caller: Caller, method: string, target: string, body?: unknown) {
  const { token, identity } = caller;
  if (!identity) return service.call(method, target, { token, body });
  return signedCall(service, identity, method, target, body === undefined ? {} : { body });
}

export function contextFor(caller: Caller, place: Place): AccessContext | null {
  if (place === "root") return null;
  const restriction = governs[place];
  return {
    folderIds: around[place],
    restriction: restriction && { folderId: restriction, level: caller.grants[restriction] ?? null },
  };
}

/** Starts the service with everybody and everything in it. */
export async function makeWorld(): Promise<void> {
  issuer = await startCiIssuer("github");
  const issuers = [{ provider: "github", issuer: issuer.url }] as const;
  service = await startService({ oidc: { issuers, privateNetwork: true } });
  owner = await service.newUser();
  org = await service.newOrg(owner);
  for (const place of places.slice(1))
    folders.set(place, await newFolder(service, org, owner, pathOf[place]));
  await makeSkills();
  await makeCallers();
  await governed(service, org);
}

export async function closeWorld(): Promise<void> {
  await service.close();
  await issuer.close();
}
