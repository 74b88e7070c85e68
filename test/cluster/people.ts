/** The accounts, the organization and the skills that a cluster is tested with. */
import assert from "node:assert/strict";
import { newId } from "../../storage/database.ts";
import { type Account, callApi, newAccount } from "../support/http-client.ts";
import { addMember } from "../support/organization.ts";
import { makeSkills, type Skill } from "../support/publishers.ts";
import type { TestService } from "../support/service.ts";
import type { Cluster } from "./cluster.ts";

export interface Person extends Account {
  id: string;
}

/** The parts of a service by which helpers write records that only mails or name servers would lead to. */
export const recordsOf = ({ storage, url }: Cluster): TestService =>
  ({ url, app: { storage, newId, now: () => new Date() } }) as never;

/** A new account that is a member of the organization `acme`. */
export async function newPerson(cluster: Cluster, tenantId: string, username: string): Promise<Person> {
  const account = await newAccount(cluster.url, username);
  const { data } = await callApi<{ id: string }>(cluster.url, "GET", "/api/user/profile", account);
  const person = { ...account, id: data.id };
  await addMember(recordsOf(cluster), { id: tenantId, slug: "acme" }, person, "member");
  return person;
}

/** The first account with its organization `acme`, skills to publish to, a member, and a folder with a skill. */
export async function prepare(cluster: Cluster) {
  const { url, setupLink } = cluster;
  const made = await makeSkills({ url, setupLink });
  const owner = made.account;
  const call = async <T>(method: string, target: string, body?: unknown): Promise<T> => {
    const { status, data, error } = await callApi<T>(url, method, target, { token: owner.token, body });
    assert.ok(status < 300, `${method} ${target}: ${status} ${error}`);
    return data;
  };
  const { tenantId } = made;
  const { folder } = await call<{ folder: { id: string } }>("POST", `/api/tenants/${tenantId}/folders`, {
    path: "/vault",
    parents: true,
  });
  const { skill } = await call<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId,
    name: "Watched",
    content: "# Watched\n",
    folder: "/vault",
    visibility: "private",
  });
  const member = await newPerson(cluster, tenantId, "watcher");
  const skills: Skill[] = made.skills;
  return { owner, member, tenantId, skills, folder: { folderId: folder.id, skillId: skill.id } };
}
