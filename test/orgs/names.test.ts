/** Lists name the roles, teams and folders that their records refer to, as far as the caller may see them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TokenPayload } from "../../contract/payloads/accounts/tokens.ts";
import type { TeamFolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { InvitationPayload, TeamPayload } from "../../contract/payloads/organizations/organizations.ts";
import { confirmAddress, newFolder, newMember, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

async function made<T>(path: string, body: object, { token } = owner): Promise<T> {
  const sent = await service.call<T>("POST", path, { token, body });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  return sent.data;
}
const read = <T>(path: string, { token } = owner) => service.call<T>("GET", path, { token });
const base = () => `/api/tenants/${org.slug}`;
const newTeam = (name: string, roles: string[] = []) => made<TeamPayload>(`${base()}/teams`, { name, roles });

describe("names in lists", () => {
  it("are those of a team's roles, and of an invitation's role and teams", async () => {
    const role = await made<{ id: string }>(`${base()}/roles`, {
      name: "Releasers",
      permissions: { skill: ["read"] },
    });
    const team = await newTeam("Crew", ["viewer", role.id]);
    await confirmAddress(service, owner);
    const invited = await made<InvitationPayload>(`${base()}/invitations`, {
      email: "guest@example.com",
      role: role.id,
      teamIds: [team.id],
    });

    assert.deepEqual(team.roleNames, ["viewer", "Releasers"]);
    const teams = await read<TeamPayload[]>(`${base()}/teams`);
    assert.deepEqual(teams.data.find(({ id }) => id === team.id)?.roleNames, ["viewer", "Releasers"]);
    const [listed] = (await read<InvitationPayload[]>(`${base()}/invitations`)).data;
    for (const one of [invited, listed]) {
      assert.equal(one?.roleName, "Releasers");
      assert.deepEqual(one?.teams, [{ id: team.id, name: "Crew" }]);
    }
  });

  it("are those of the folders of a personal token, while its owner sees them", async () => {
    const member = await newMember(service, org, "member");
    const folder = await newFolder(service, org, owner, "tools/deep");
    const body = { name: "narrow", allowedFolderIds: [folder.id] };
    const token = await made<TokenPayload>("/api/user/tokens", body, member);
    assert.deepEqual(token.allowedFolders, [{ id: folder.id, path: "tools/deep" }]);

    await restrict(service, owner, folder.id, []);
    const tokens = await read<TokenPayload[]>("/api/user/tokens", member);
    const listed = tokens.data.find(({ id }) => id === token.id);
    assert.deepEqual(listed?.allowedFolders, [{ id: folder.id, path: null }]);
  });
});

describe("the folders of a team", () => {
  it("are those with a grant, for its members and those who manage the grants", async () => {
    const team = await newTeam("Keepers");
    const [inside, outside] = [
      await newMember(service, org, "member", [team.id]),
      await newMember(service, org, "member"),
    ];
    const vault = await newFolder(service, org, owner, "vault");
    await restrict(service, owner, vault.id, [{ type: "team", id: team.id, level: "editor" }]);
    const foldersFor = async (user: TestUser) =>
      (await read<TeamFolderPayload[]>(`${base()}/teams/${team.id}/folders`, user)).data;

    const granted = [{ folder: { id: vault.id, path: "vault", restricted: true }, level: "editor" }];
    assert.deepEqual(await foldersFor(owner), granted);
    assert.deepEqual(await foldersFor(inside), granted);
    assert.deepEqual(await foldersFor(outside), []);
    const stranger = await service.newUser();
    assert.equal((await read(`${base()}/teams/${team.id}/folders`, stranger)).code, "not_found");
  });
});
