/** Clients that write skills, versions and folders, and delete them, and a copy of a Git root in use. */
import { copyFile, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import type { TestService, TestUser } from "../support/service.ts";

interface OpenSkill {
  id: string;
  name: string;
  /** Highest version that was acknowledged. */
  version: number;
  isBusy: boolean;
}

export interface Writers {
  /** Number of acknowledged writes. */
  count(): number;
  /** Highest acknowledged version of each skill, by id, including deleted ones. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Skills that are never deleted. */
  readonly kept: ReadonlySet<string>;
  stop(): Promise<void>;
}

const clients = 8;
const startSkills = 24;
const keptSkills = 16;

/** Starts clients of one organization; each writes again as soon as its last write is acknowledged. */
export async function startWriters(service: TestService, user: TestUser, tenantId: string): Promise<Writers> {
  const { token } = user;
  const skills: OpenSkill[] = [];
  const acknowledged = new Map<string, number>();
  let count = 0;
  let number = 0;
  const ending = new AbortController();

  async function create(name: string, folderId?: string): Promise<void> {
    const body = { tenantId, name, folderId, content: `first of ${name}\n` };
    const made = await service.call<PublishResult>("POST", "/api/skills", { token, body });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    count++;
    acknowledged.set(made.data.skill.id, 1);
    skills.push({ id: made.data.skill.id, name, version: 1, isBusy: false });
  }

  async function publish(skill: OpenSkill): Promise<void> {
    const body = { content: `text ${number++}\n` };
    const made = await service.call("POST", `/api/skills/${skill.id}/versions`, { token, body });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    count++;
    acknowledged.set(skill.id, ++skill.version);
  }

  /** Deletes a skill, erases it as the job does, and creates another one with its name and slug. */
  async function replace(skill: OpenSkill): Promise<void> {
    skills.splice(skills.indexOf(skill), 1);
    await service.call("DELETE", `/api/skills/${skill.id}`, { token });
    count++;
    await eraseSkill(service.app, { tenantId, skillId: skill.id });
    await create(skill.name);
  }

  /** A folder that is deleted with its skill. */
  async function folderOnce(): Promise<void> {
    const body = { name: `folder ${number++}`, parentId: null };
    const made = await service.call<{ id: string }>("POST", `/api/tenants/${tenantId}/folders`, {
      token,
      body,
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    count++;
    await create(`in folder ${number++}`, made.data.id);
    const inside = skills.at(-1)!;
    if (!inside.name.startsWith("in folder") || inside.isBusy) return;
    skills.splice(skills.indexOf(inside), 1);
    await service.call("DELETE", `/api/skills/${inside.id}`, { token });
    await eraseSkill(service.app, { tenantId, skillId: inside.id });
    await service.call("DELETE", `/api/folders/${made.data.id}`, { token });
  }

  for (let at = 0; at < startSkills; at++) await create(`skill ${number++}`);
  await folderOnce();
  async function write(): Promise<void> {
    for (let turn = 0; !ending.signal.aborted; turn++) {
      if (turn % 10 === 9) {
        await folderOnce();
        continue;
      }
      const free = skills.filter(({ isBusy }) => !isBusy);
      const skill = free[turn % free.length];
      if (!skill) throw new Error("no skill is left to write to");
      skill.isBusy = true;
      await (turn % 5 === 4 && !kept.has(skill.id) ? replace(skill) : publish(skill));
      skill.isBusy = false;
    }
  }
  const kept = new Set(skills.slice(0, keptSkills).map(({ id }) => id));
  let failure: unknown;
  const running = Array.from({ length: clients }, () => write().catch((error: unknown) => (failure = error)));
  return {
    count() {
      if (failure) throw failure;
      return count;
    },
    acknowledged,
    kept,
    async stop() {
      ending.abort();
      await Promise.all(running);
      if (failure) throw failure;
    },
  };
}

/** Copies a folder whose files may be removed while it is copied. */
export async function copyInUse(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true }).catch(() => [])) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyInUse(source, target);
    else await copyFile(source, target).catch(() => undefined);
  }
}
