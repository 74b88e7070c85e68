/** Members of an organization with roles, teams and grants, for tests of authorization. */
import assert from "node:assert/strict";
import type { CreatedFolderPayload, FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import type { FolderLevel } from "../../contract/vocabulary.ts";
import { updateSkillAccess } from "../../workers/folders/update-effective-access.ts";
import type { TestOrg, TestService, TestUser } from "./service.ts";

/** Makes an account a member without the mail of an invitation. */
export async function addMember(
  service: TestService,
  org: TestOrg,
  user: TestUser,
  role: string,
  teamIds: string[] = [],
): Promise<void> {
  const { app } = service;
  await app.storage.memberships.insert({
    _id: app.newId(),
    tenantId: org.id,
    tenantSlug: org.slug,
    tenantName: org.slug,
    userId: user.id,
    username: user.username,
    nameKeys: [user.username],
    role,
    teamIds,
    createdAt: app.now(),
  });
}

/** Confirms the address that an account was created with, as the link of its mail would. */
export async function confirmAddress(service: TestService, user: TestUser): Promise<void> {
  const { app } = service;
  await app.storage.users.markVerified(user.id, `${user.username}@example.com`, app.now());
}

/** A new account that is a member. */
export async function newMember(
  service: TestService,
  org: TestOrg,
  role: string,
  teamIds: string[] = [],
): Promise<TestUser> {
  const user = await service.newUser();
  await addMember(service, org, user, role, teamIds);
  return user;
}

/** A folder by its path, created with its missing parents. */
export async function newFolder(
  service: TestService,
  org: TestOrg,
  user: TestUser,
  path: string,
): Promise<FolderPayload> {
  const made = await service.call<CreatedFolderPayload>("POST", `/api/tenants/${org.slug}/folders`, {
    token: user.token,
    body: { path, parents: true },
  });
  if (made.status !== 201) throw new Error(`creating ${path} failed: ${JSON.stringify(made.body)}`);
  return made.data.folder;
}

export interface Grantee {
  type: "member" | "team";
  id: string;
  level: FolderLevel;
}

/** A new text skill, private at the root of the organization unless the fields say otherwise. */
export async function publishSkill(
  service: TestService,
  org: TestOrg,
  { token }: Pick<TestUser, "token">,
  skill: { name: string; [field: string]: unknown },
): Promise<PublishResult["skill"]> {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token,
    body: { tenantId: org.slug, content: `# ${skill.name}\n`, ...skill },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data.skill;
}

/** Restricts a folder to the given grants, or removes the restriction. */
export async function restrict(
  service: TestService,
  user: TestUser,
  folderId: string,
  grantees: Grantee[],
  restricted = true,
): Promise<void> {
  const grants = grantees.map(({ type, id, level }) => ({ principal: { type, id }, level }));
  const answer = await service.call("PUT", `/api/folders/${folderId}/access`, {
    token: user.token,
    body: { restricted, grants },
  });
  if (answer.status !== 200) throw new Error(`restricting failed: ${JSON.stringify(answer.body)}`);
}

/** Runs the jobs that a change of folders queues, at once. */
export async function governed(service: TestService, org: TestOrg): Promise<void> {
  await updateSkillAccess(service.app, org.id);
  await service.settled();
}
