/**
 * The lifecycle of an organization on a running service with workers and mails: from the invitation of a member to the
 * member's departure.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { openCli, type Cli } from "../support/cli.ts";
import { sharedEngines } from "../support/engine.ts";
import { callApi, newAccount, newOrganization, type Account } from "../support/http-client.ts";
import { readMail } from "../support/mail-text.ts";
import { assertNothingRuns, removeFolder, startServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";
import { confirmAddress } from "./confirm-address.ts";

const dataDir = temporaryFolder("organization");

const server = await startServer({
  dataDir,
  env: { ...(await sharedEngines()), RATE_LIMITS: "false", LOG_LEVEL: "warn" },
});
const owner = await newAccount(server.url, "owner", server.setupLink);
const ada = await newAccount(server.url, "ada");
const orgId = await newOrganization(server.url, owner, "acme");

after(async () => {
  await server.stop();
  await assertNothingRuns(dataDir);
  removeFolder(dataDir);
});

async function call<T = Record<string, unknown>>(
  who: Account | string,
  method: string,
  at: string,
  body?: unknown,
) {
  return callApi<T>(server.url, method, at, { token: typeof who === "string" ? who : who.token, body });
}

async function done<T = Record<string, unknown>>(
  who: Account | string,
  method: string,
  at: string,
  body?: unknown,
): Promise<T> {
  const answer = await call<T>(who, method, at, body);
  assert.ok(answer.status < 300, `${method} ${at}: ${answer.status} ${answer.error}`);
  return answer.data;
}

/** The link of the newest mail to an address whose text contains a word. */
const mailed = (to: string, word: string) =>
  until(`a mail to ${to}`, () => {
    const folder = path.join(dataDir, "mail");
    let names: string[] = [];
    try {
      names = readdirSync(folder).filter((name) => name.endsWith(".eml"));
    } catch {
      return undefined;
    }
    const mails = names.map((name) => readMail(readFileSync(path.join(folder, name), "utf8")));
    return mails.find((mail) => mail.headers["to"]?.includes(to) && mail.link.includes(word))?.link;
  });

const base = () => `/api/tenants/${orgId}`;
const org = { skillId: "", folderId: "", teamId: "", roleId: "" };

describe("an organization", () => {
  it("invites a member by mail, who joins by their own link only", async () => {
    const stranger = await newAccount(server.url, "stranger");
    await confirmAddress(server, ada);
    await done(owner, "POST", `${base()}/invitations`, { email: ada.email, role: "member" });
    const link = await mailed(ada.email, "/invitations/");
    const token = link.slice(link.lastIndexOf("/") + 1);

    const pending = await done<{ pendingInvitations: { organizationSlug: string }[] }>(
      ada,
      "GET",
      "/api/user/profile",
    );
    assert.deepEqual(
      pending.pendingInvitations.map((one) => one.organizationSlug),
      ["acme"],
    );
    assert.equal((await call(stranger, "POST", `/api/invitations/${token}/accept`)).code, "forbidden");
    await done(ada, "POST", `/api/invitations/${token}/accept`);
    assert.ok((await call(ada, "POST", `/api/invitations/${token}/accept`)).status >= 400, "once");
    const members = await done<{ username: string; role: string }[]>(owner, "GET", `${base()}/members`);
    assert.deepEqual(
      members.map(({ username, role }) => [username, role]),
      [
        ["ada", "member"],
        ["owner", "owner"],
      ],
    );
  });

  it("gives a team a custom role, whose permissions its members get", async () => {
    const role = await done<{ id: string }>(owner, "POST", `${base()}/roles`, {
      name: "Auditor",
      permissions: { auditLog: ["read"] },
    });
    const team = await done<{ id: string }>(owner, "POST", `${base()}/teams`, {
      name: "Audit",
      roles: [role.id],
    });
    Object.assign(org, { roleId: role.id, teamId: team.id });
    const { id } = await done<{ id: string }>(ada, "GET", "/api/user/profile");

    assert.equal((await call(ada, "GET", `${base()}/audit-log`)).code, "forbidden");
    await done(owner, "PUT", `${base()}/teams/${team.id}/members/${id}`);
    const log = await done<{ entries: { action: string }[] }>(ada, "GET", `${base()}/audit-log`);
    assert.ok(log.entries.length > 0);
  });

  it("keeps a skill in a restricted folder, open to that team only", async () => {
    const made = await done<{ skill: { id: string; folderId: string } }>(owner, "POST", "/api/skills", {
      tenantId: "acme",
      name: "Closing the books",
      content: "# Closing\n",
      folder: "finance/close",
      createFolders: true,
      visibility: "public",
    });
    Object.assign(org, { skillId: made.skill.id, folderId: made.skill.folderId });
    const read = async (who: Account) => (await call(who, "GET", `/api/skills/${org.skillId}`)).status;
    assert.equal(await read(ada), 200);

    await done(owner, "PUT", `/api/folders/${org.folderId}/access`, { restricted: true, grants: [] });
    assert.equal(await read(ada), 404);
    await done(owner, "PUT", `/api/folders/${org.folderId}/access`, {
      restricted: true,
      grants: [{ principal: { type: "team", id: org.teamId }, level: "editor" }],
    });
    assert.equal(await read(ada), 200);
    await done(ada, "POST", `/api/skills/${org.skillId}/versions`, { content: "# Closing, faster\n" });
    await until("the catalog to follow", async () => {
      const catalog = await done<unknown[]>(owner, "GET", "/api/explore?query=closing");
      return catalog.length === 0 ? true : undefined;
    });
  });

  it("gives a pipeline a token for that folder and nothing else", async () => {
    const made = await done<{ id: string; token: string }>(owner, "POST", `${base()}/tokens`, {
      name: "close pipeline",
      scopes: { skill: ["read", "update"] },
      allowedFolderIds: [org.folderId],
    });
    await done(made.token, "POST", `/api/skills/${org.skillId}/versions`, { content: "# By the pipeline\n" });
    const elsewhere = await call(made.token, "POST", "/api/skills", {
      tenantId: "acme",
      name: "Other",
      content: "x\n",
    });

    assert.match(made.token, /^lskt_[0-9a-f]{64}$/);
    assert.equal(elsewhere.code, "forbidden");
    await done(owner, "DELETE", `${base()}/tokens/${made.id}`);
    assert.equal((await call(made.token, "GET", `/api/skills/${org.skillId}`)).status, 401);
  });

  it("creates a private workspace for each member, used through the client", async () => {
    const home = temporaryFolder("organization-home");
    const cli: Cli = openCli({ home, cwd: home, apiUrl: () => server.url });
    const as = (account: Account) => ({ env: { SVC_TOKEN: account.token } });
    writeFileSync(path.join(home, "diary.md"), "---\nname: Diary\n---\n\nDear diary.\n");
    await done(owner, "POST", `${base()}/personal-workspaces/enable`, {});
    await until("workspaces", async () => {
      const state = await done<{ own: { state: string } | null }>(
        ada,
        "GET",
        `${base()}/personal-workspaces`,
      );
      return state.own?.state === "provisioned" ? true : undefined;
    });

    const published = (await cli.json(["publish", "diary.md", "--team", "acme", "--personal"], as(ada))) as {
      skill: { slug: string; visibility: string };
    };
    const own = (await cli.json(["list", "--personal"], as(ada))) as { slug: string }[];

    assert.equal(published.skill.visibility, "private");
    assert.deepEqual(
      own.map((skill) => skill.slug),
      [published.skill.slug],
    );
    const clash = await cli.failure(
      ["publish", "diary.md", "--team", "acme", "--personal", "--folder", "x"],
      as(ada),
    );
    assert.equal(clash.code, "E_INVALID_ARGUMENT");
    removeFolder(home);
  });

  it("removes all access of a member who leaves, and keeps their workspace", async () => {
    const { id } = await done<{ id: string }>(ada, "GET", "/api/user/profile");
    assert.equal((await call(owner, "DELETE", `${base()}/members/${await idOf(owner)}`)).code, "last_owner");

    await done(ada, "DELETE", `${base()}/members/${id}`);

    for (const at of [
      base(),
      `/api/skills/${org.skillId}`,
      `/api/folders/${org.folderId}`,
      `${base()}/audit-log`,
    ])
      assert.equal((await call(ada, "GET", at)).status, 404, at);
    assert.deepEqual(await done<unknown[]>(ada, "GET", "/api/skills"), []);
    await until("the workspace to be kept", async () => {
      const rows = await done<{ userId: string; state: string }[]>(
        owner,
        "GET",
        `${base()}/personal-workspaces/members`,
      );
      return rows.find((row) => row.userId === id)?.state === "left" ? true : undefined;
    });
  });

  it("has each of these events in its log exactly once", async () => {
    const expected = [
      "organization.created",
      "organization.member_invited",
      "organization.member_joined",
      "role.created",
      "team.created",
      "team.member_added",
      "skill.created",
      "folder.created",
      "folder.acl_updated",
      "skill.version_created",
      "organization.token_created",
      "organization.token_revoked",
      "personal_workspace.enabled",
      "personal_workspace.backfill_scheduled",
      "personal_workspace.provisioned",
      "organization.member_left",
    ];
    const actions = await until("every event", async () => {
      const { entries } = await done<{ entries: { id: string; action: string }[] }>(
        owner,
        "GET",
        `${base()}/audit-log?limit=100`,
      );
      const seen = entries.map((entry) => entry.action);
      return expected.every((action) => seen.includes(action)) ? seen : undefined;
    });
    for (const once of ["organization.created", "organization.member_joined", "organization.member_left"])
      assert.equal(actions.filter((action) => action === once).length, 1, once);
  });
});

const idOf = async (who: Account) => (await done<{ id: string }>(who, "GET", "/api/user/profile")).id;
