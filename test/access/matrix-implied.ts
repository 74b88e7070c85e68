/** The part of the matrix about actions that imply other permissions than their own. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { FolderAccessPayload } from "../../contract/payloads/organizations/folders.ts";
import type { MemberPayload, TeamPayload } from "../../contract/payloads/organizations/organizations.ts";
import type { FolderLevel } from "../../contract/vocabulary.ts";
import type { Actor, PermissionMap, TokenLimits, UserActor } from "../../src/access/actor.ts";
import {
  decideFolder,
  decideSkill,
  decideTenant,
  isNarrowed,
  limitsOf,
  isAllowedIn,
  membershipIn,
  type Verdict,
} from "../../src/access/decide.ts";
import { mayLiftRestriction } from "../../src/access/exposure.ts";
import { decideRepository } from "../../src/access/repository.ts";
import { holdsGrants } from "../../src/access/team.ts";
import { governed, newMember, restrict } from "../support/organization.ts";
import {
  callAs,
  callers,
  contextFor,
  folders,
  org,
  owner,
  service,
  skills,
  statusOf,
  type Caller,
  type Skill,
} from "./matrix-world.ts";

/** Members with custom roles, each of which holds one of the permissions that hand out others. */
const specialists: Caller[] = [];

async function makeSpecialists(): Promise<void> {
  const writing = { skill: ["read", "create", "update"], folder: ["create", "update"] };
  const lead = { ...writing, member: ["read"], team: ["update"] };
  const sync = { githubSync: ["read", "manage"] };
  const everySkill = { skill: ["read", "create", "update", "delete"], folder: ["create", "manageAcl"] };
  await addSpecialist("team lead without a grant", lead);
  await addSpecialist("team lead with a viewer's grant", lead, "viewer");
  await addSpecialist("team lead with an editor's grant", lead, "editor");
  await addSpecialist("team lead with a manager's grant", lead, "manager");
  await addSpecialist("manager of the sync alone", sync);
  await addSpecialist("manager of the sync who writes skills", { ...sync, ...writing });
  await addSpecialist("manager of the sync and of every skill", { ...sync, ...everySkill });
  await governed(service, org);
}

async function addSpecialist(name: string, permissions: PermissionMap, level?: FolderLevel): Promise<void> {
  const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
    token: owner.token,
    body: { name, permissions },
  });
  assert.equal(role.status, 201, JSON.stringify(role.body));
  const user = await newMember(service, org, role.data.id);
  if (level) await grantOnVault(user.id, level);
  const membership = {
    tenantId: org.id,
    tenantSlug: org.slug,
    tenantName: org.slug,
    role: role.data.id,
    teamIds: [],
    permissions,
  };
  const stranger = callers.find((one) => one.name === "stranger")!.actor as UserActor;
  const actor = { ...stranger, userId: user.id, username: user.username, memberships: [membership] };
  specialists.push({ name, token: user.token, actor, grants: level ? { vault: level } : {} });
}

async function grantOnVault(userId: string, level: FolderLevel): Promise<void> {
  const { id } = folders.get("vault")!;
  const { data } = await service.call<FolderAccessPayload>("GET", `/api/folders/${id}/access`, {
    token: owner.token,
  });
  const grants = data.grants.map((grant) => ({ ...grant.principal, level: grant.level }));
  await restrict(service, owner, id, [...grants, { type: "member", id: userId, level }]);
}

const everyone = () => [...callers, ...specialists];

async function expectStatus(
  caller: Caller,
  [method, target, body]: [method: string, target: string, body?: unknown],
  expected: number,
  what: string,
) {
  const answer = await callAs(caller, method, target, body);
  assert.equal(answer.status, expected, `${caller.name}: ${what}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** The status of a clone by a token. */
async function cloneStatus(token: string, slug: string): Promise<number> {
  const authorization = `Basic ${Buffer.from(`anybody:${token}`).toString("base64")}`;
  const target = `/${org.slug}/${slug}.git/info/refs?service=git-upload-pack`;
  const answer = await service.raw("GET", target, { headers: { authorization } });
  await answer.arrayBuffer();
  return answer.status;
}

/** Registers the tests, in the world of the matrix. */
export function describeImplied(): void {
  describe("actions that imply other permissions", () => {
    before(makeSpecialists);

    it("adds someone to a team as decided by its roles and its grants", async () => {
      const base = `/api/tenants/${org.id}/teams`;
      const teams = await service.call<TeamPayload[]>("GET", base, { token: owner.token });
      const at = `${base}/${teams.data[0]!.id}/members`;
      const members = await service.call<MemberPayload[]>("GET", at, { token: owner.token });
      const verdictOf = ({ actor, grants }: Caller): Verdict => {
        const verdict = decideTenant(actor, "team:update", org.id);
        const held = [{ level: "editor" as const, held: grants.vault ?? null }];
        return verdict === "allowed" && !holdsGrants(actor, org.id, held) ? "refused" : verdict;
      };

      for (const caller of everyone())
        await expectStatus(
          caller,
          ["PUT", `${at}/${members.data[0]!.userId}`],
          statusOf[verdictOf(caller)],
          "join",
        );
      assert.deepEqual(
        specialists.map((caller) => verdictOf(caller) === "allowed"),
        [false, false, true, true, false, false, false],
      );
    });

    it("plans and connects a repository as decided by every skill", async () => {
      const body = { host: "local", url: "absent.git" };
      const base = `/api/tenants/${org.id}/repo-sync`;
      const verdictOf = (actor: Actor): Verdict => {
        const verdict = decideTenant(actor, "githubSync:manage", org.id);
        return verdict === "allowed" && decideRepository(actor, org.id) !== "allowed" ? "refused" : verdict;
      };

      for (const caller of everyone()) {
        const verdict = verdictOf(caller.actor);
        // The repository does not exist, so an allowed call fails there.
        const planned = verdict === "allowed" ? 422 : statusOf[verdict];
        await expectStatus(caller, ["POST", `${base}/plan`, body], planned, "plan");
        // Imported versions need an author, so connecting requires a user.
        const connected = planned === 422 && caller.actor.kind !== "user" ? 403 : planned;
        await expectStatus(caller, ["POST", base, body], connected, "connect");
      }
      assert.deepEqual(
        specialists.map(({ actor }) => verdictOf(actor) === "allowed"),
        [false, false, false, false, false, false, true],
      );
    });

    it("takes skills out of a restriction as decided by the level of a manager", async () => {
      const verdictOf = (caller: Caller, { place, payload }: Skill): Verdict => {
        const { actor } = caller;
        const context = contextFor(caller, place);
        const { id: skillId, visibility } = payload;
        const facts = { skillId, tenantId: org.id, visibility, context };
        const verdict = decideSkill(actor, "skill:update", facts);
        if (verdict !== "allowed" || place === "root") return verdict;
        const mayPlace = isAllowedIn(actor, "skill:update", org.id, null);
        return mayPlace && (!context || mayLiftRestriction(actor, org.id, context, false))
          ? "allowed"
          : "refused";
      };
      const moved = skills.filter(({ payload }) => payload.visibility !== "unlisted");

      for (const caller of everyone())
        for (const skill of moved)
          await expectStatus(
            caller,
            ["POST", `/api/skills/${skill.payload.id}/move`, { folderId: null, dryRun: true }],
            statusOf[verdictOf(caller, skill)],
            `move of ${skill.payload.name}`,
          );
    });

    it("creates tokens of what the caller sees, and no token reads more than its holder", async () => {
      const { id } = folders.get("vault")!;
      const limits: TokenLimits = { scopes: { skill: ["read"] }, allowedFolderIds: ["vault"] };
      for (const caller of everyone()) {
        const { actor } = caller;
        const body = { name: "implied", scopes: limits.scopes, allowedFolderIds: [id] };
        const context = contextFor(caller, "vault")!;
        const isOnTheWay = isAllowedIn(actor, "skill:read", org.id, contextFor(caller, "inner"));
        const seen = decideFolder(actor, "see", { tenantId: org.id, context, isOnTheWay });
        const isWhole = actor.kind === "user" && !isNarrowed(limitsOf(actor));
        const verdict = actor.kind === "anonymous" ? "unauthenticated" : isWhole ? seen : "refused";
        const expected = verdict === "allowed" ? 201 : statusOf[verdict];
        const made = await expectStatus(caller, ["POST", "/api/user/tokens", body], expected, "token");
        if (made.status !== 201 || actor.kind !== "user") continue;
        const { token } = made.data as { token: string };
        const minted: Actor = { ...actor, via: { kind: "token", tokenId: "t", limits } };
        const narrowed = { ...caller, token, actor: minted };
        for (const skill of skills) {
          const { visibility } = skill.payload;
          const skillId = skill.payload.id;
          const facts = {
            skillId,
            tenantId: org.id,
            visibility,
            context: contextFor(narrowed, skill.place),
          };
          const read: number = statusOf[decideSkill(minted, "skill:read", facts)];
          await expectStatus(narrowed, ["GET", `/api/skills/${skill.payload.id}`], read, skill.payload.name);
          if (read === 200) assert.equal(decideSkill(actor, "skill:read", facts), "allowed", caller.name);
          const cloned = await cloneStatus(token, skill.payload.slug);
          assert.equal(cloned, read, `${caller.name}: clone of ${skill.payload.name} by the token`);
        }
      }
    });

    it("resolves a bare slug in the caller's own organizations, and names others' public skills", async () => {
      for (const caller of everyone())
        for (const skill of skills) {
          const { slug, visibility } = skill.payload;
          const context = contextFor(caller, skill.place);
          const isReadable = decideSkill(caller.actor, "skill:read", {
            skillId: skill.payload.id,
            tenantId: org.id,
            visibility,
            context,
          });
          const isOwn = membershipIn(caller.actor, org.id) !== undefined;
          const isListed = !isOwn && visibility === "public" && !context?.restriction;
          const isFound = isOwn && isReadable === "allowed";
          const unseen = caller.actor.kind === "anonymous" && !isListed ? 401 : 404;
          const what = `bare ${slug}`;
          const target = `/api/skills/resolve?ref=${slug}`;
          const answer = await expectStatus(caller, ["GET", target], isFound ? 200 : unseen, what);
          const candidates = (answer.details?.["candidates"] ?? []) as { ref: string }[];
          assert.deepEqual(
            candidates.map(({ ref }) => ref),
            isListed ? [`${org.slug}/${slug}`] : [],
            `${caller.name}: ${what}`,
          );
        }
    });
  });
}
