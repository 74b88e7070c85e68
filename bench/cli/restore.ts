/** `svc restore` of many skills in a new home, against the transfer of their bytes. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainEnv, removeFolder } from "../../test/support/server.ts";
import { type Row, median, row } from "../figures/figures.ts";
import type { Sizes } from "../figures/options.ts";
import type { Client } from "../http/client.ts";
import { client, timed } from "./timed.ts";

export async function restoreRows(
  folder: string,
  caller: Client,
  organization: string,
  { turns, restored: count }: Sizes<"cli">,
): Promise<Row[]> {
  const project = join(folder, "project");
  const refs = await saveSkills(folder, project, caller, organization, count);
  const restored: number[] = [];
  const transferred: number[] = [];
  for (let turn = -1; turn < turns / 4; turn++) {
    const home = join(folder, "restore-home");
    const clone = join(home, "clone");
    mkdirSync(clone, { recursive: true });
    for (const name of ["svc.json", "svc.lock"]) copyFileSync(join(project, name), join(clone, name));
    const env = plainEnv({ HOME: home, SVC_API_URL: caller.base, SVC_TOKEN: caller.token });
    const restoring = await timed(process.execPath, [client, "restore", "-o", "json"], { cwd: clone, env });
    const urls = refs.map((id) => `${caller.base}/api/skills/${id}/package?version=1`);
    const headers = ["-H", `Authorization: Bearer ${caller.token}`, "-H", "Accept: application/zip"];
    const transfer = await timed(
      "curl",
      ["-sSf", ...headers, ...urls.flatMap((url) => ["-o", "/dev/null", url])],
      {
        env,
      },
    );
    removeFolder(home);
    if (turn < 0) continue;
    restored.push(restoring);
    transferred.push(transfer);
  }
  const beyond = (median(restored) - median(transferred)) / 1000;
  const note = `${Math.round(median(restored))} ms, the bytes alone ${Math.round(median(transferred))} ms`;
  return [row(`svc restore of ${count} skills, beyond the transfer`, beyond, "s", { most: 3 }, note)];
}

/** Publishes packages of 200 kB and saves them in a project; returns their public ids. */
async function saveSkills(
  folder: string,
  project: string,
  caller: Client,
  organization: string,
  count: number,
): Promise<string[]> {
  const home = join(folder, "author");
  const env = plainEnv({ HOME: home, SVC_API_URL: caller.base, SVC_TOKEN: caller.token });
  mkdirSync(project, { recursive: true });
  for (let i = 0; i < count; i++) {
    const source = join(home, `kit-${i}`);
    mkdirSync(join(source, "data"), { recursive: true });
    writeFileSync(join(source, "SKILL.md"), `---\nname: kit-${i}\ndescription: Number ${i}\n---\nText\n`);
    for (let file = 0; file < 10; file++)
      writeFileSync(join(source, "data", `${file}.txt`), `${i} ${file} `.repeat(4000));
    await timed(process.execPath, [client, "publish", source, "-t", organization, "-o", "json"], {
      cwd: home,
      env,
    });
    await timed(
      process.execPath,
      [client, "install", `kit-${i}`, "-t", "claude,cursor", "-p", "--save", "-o", "json"],
      {
        cwd: project,
        env,
      },
    );
  }
  const lock = JSON.parse(readFileSync(join(project, "svc.lock"), "utf8")) as {
    skills: Record<string, { publicId: string }>;
  };
  return Object.values(lock.skills).map(({ publicId }) => publicId);
}
