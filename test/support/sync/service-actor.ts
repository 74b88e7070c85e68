/** Random changes by members in the service, through its API. */
import assert from "node:assert/strict";
import { eraseSkill } from "../../../src/skills/settings/erase.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import { restrict } from "../organization.ts";
import type { Random } from "../random.ts";
import { makeZip, skillMd } from "../zip.ts";
import { keyOf, noteAct, textKey, type Ledger, type PlainFile } from "./ledger.ts";
import type { Scenario } from "./scenario.ts";

export interface Here {
  /** A random change; `isConcurrent` excludes those that legitimately remove what a concurrent push brings. */
  act(isConcurrent?: boolean): Promise<void>;
}

const places = [undefined, "/", "red", "red/deep", "blue", "green/far"];

export function peopleHere(scenario: Scenario, ledger: Ledger, random: Random, token: () => string): Here {
  const { service, org, owner, api } = scenario;
  const { app } = service;
  let count = 0;

  const skills = (): Promise<SkillDoc[]> =>
    app.storage.database
      .collection<SkillDoc>("skills")
      .find({ tenantId: org.id, deletedAt: { $exists: false } })
      .sort({ _id: 1 })
      .toArray();
  const anyOf = async (): Promise<SkillDoc | undefined> => {
    const found = await skills();
    return found.length === 0 ? undefined : random.pick(found);
  };
  const filesOf = async ({ _id, tenantId, current }: SkillDoc): Promise<PlainFile[]> => {
    const files: PlainFile[] = [];
    for await (const { path, mode, data } of app.repos.readFiles({ tenantId, skillId: _id }, current.oid))
      files.push({ path, mode, data });
    return files;
  };
  const uploaded = (files: readonly PlainFile[]) =>
    service.upload(
      owner,
      makeZip(files.map(({ path, mode, data }) => ({ name: path, data, mode: Number.parseInt(mode, 8) }))),
    );

  async function publishNew(): Promise<void> {
    const name = `Skill ${++count}`;
    const kind = random.pick(["text", "text", "rule", "package"]);
    const visibility = random.pick(["private", "private", "unlisted", "public"]);
    const folder = random.pick(places);
    const fields = {
      tenantId: org.id,
      visibility,
      ...(folder === undefined ? {} : { folder, createFolders: true }),
    };
    const text = `# ${name}\n\n${token()}\n`;
    const files = packageFiles(`skill-${count}`, token());
    const answer = await api<{ skill: { id: string } }>("POST", "/api/skills", {
      ...fields,
      ...(kind === "package"
        ? { uploadId: await uploaded(files) }
        : { name, content: text, type: kind === "rule" ? "rule" : undefined }),
    });
    // A directory of the repository has become a skill at the folder's path.
    if (answer.code === "already_exists" && folder !== undefined) return;
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { id } = answer.data.skill;
    ledger.visibility.set(id, visibility);
    noteAct(ledger, id, kind === "package" ? keyOf(files) : textKey(text), 1);
  }

  async function publishVersion(): Promise<void> {
    const skill = await anyOf();
    if (!skill) return publishNew();
    const files = await filesOf(skill);
    const isPackage = skill.current.format === "package";
    const changed = isPackage ? changedPackage(files, token(), random) : files;
    const text = `${keyOf(files).replace(/^text /, "")}\n${token()}\n`;
    const body = isPackage ? { uploadId: await uploaded(changed) } : { content: text };
    const answer = await api<{ version: number }>("POST", `/api/skills/${skill._id}/versions`, body);
    if (answer.status === 404 && ledger.deleted.has(skill._id)) return;
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    noteAct(ledger, skill._id, isPackage ? keyOf(changed) : textKey(text), answer.data.version);
  }

  async function goBack(): Promise<void> {
    const skill = await anyOf();
    if (!skill || skill.head.version === 1) return publishVersion();
    const version = 1 + random.below(skill.head.version);
    const answer = await api("POST", `/api/skills/${skill._id}/revert`, { version });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const oid = (await app.storage.skills.find(skill._id))!.current;
    noteAct(ledger, skill._id, keyOf(await filesOf({ ...skill, current: oid })));
  }

  async function remove(): Promise<void> {
    const found = await skills();
    if (found.length < 4) return publishNew();
    const { _id: id } = random.pick(found);
    ledger.deleted.set(id, ++ledger.clock);
    const answer = await api("DELETE", `/api/skills/${id}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    // The job that the deletion queues; it requests the sync.
    await eraseSkill(app, { tenantId: org.id, skillId: id });
  }

  async function move(): Promise<void> {
    const skill = await anyOf();
    if (!skill) return publishNew();
    const folder = random.pick(places) ?? "/";
    await api("POST", `/api/skills/${skill._id}/move`, { folder, createFolders: folder !== "/" });
  }

  async function folders(): Promise<{ id: string; restricted: boolean }[]> {
    return (await api<{ id: string; restricted: boolean }[]>("GET", `/api/tenants/${org.id}/folders`)).data;
  }

  async function renameFolder(): Promise<void> {
    const all = await folders();
    if (all.length === 0) return move();
    const answer = await api("PATCH", `/api/folders/${random.pick(all).id}`, { name: `Folder ${++count}` });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }

  async function restrictFolder(): Promise<void> {
    const all = await folders();
    if (all.length === 0) return move();
    const folder = random.pick(all);
    await restrict(service, owner, folder.id, [], !folder.restricted);
  }

  async function setFields(): Promise<void> {
    const skill = await anyOf();
    if (!skill) return publishNew();
    const visibility = random.pick(["private", "unlisted", "public"]);
    const fields = random.chance(0.5) ? { visibility } : { tags: [`t${++count}`] };
    const answer = await api("PUT", `/api/skills/${skill._id}`, fields);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    if ("visibility" in fields) ledger.visibility.set(skill._id, visibility);
  }

  const harmless = [
    publishNew,
    publishVersion,
    publishVersion,
    publishVersion,
    move,
    renameFolder,
    setFields,
  ];
  const all = [...harmless, publishNew, publishVersion, goBack, remove, restrictFolder];
  return { act: (isConcurrent = false) => random.pick(isConcurrent ? harmless : all)() };
}

function packageFiles(name: string, line: string): PlainFile[] {
  const plain = (path: string, data: string | Buffer, mode = "100644") => ({
    path,
    mode,
    data: Buffer.from(data),
  });
  return [
    plain("SKILL.md", `${skillMd(name)}\n${line}\n`),
    plain("scripts/run.sh", "#!/bin/sh\necho run\n", "100755"),
    plain("assets/ü 漢字.txt", `${line}\n`),
    plain("data.bin", Buffer.from([0, 255, 10, 13, 0, ...Buffer.from(line)])),
  ];
}

function changedPackage(files: readonly PlainFile[], line: string, random: Random): PlainFile[] {
  const changed = files.map((file) =>
    file.path === "SKILL.md" ? { ...file, data: Buffer.concat([file.data, Buffer.from(`${line}\n`)]) } : file,
  );
  if (random.chance(0.5)) changed.push({ path: `more/${line}.txt`, mode: "100644", data: Buffer.from(line) });
  if (random.chance(0.3) && changed.length > 3)
    return changed.filter((file) => file.path === "SKILL.md" || !file.path.startsWith("assets/"));
  return changed;
}
