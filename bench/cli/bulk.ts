/** A folder of skills as a repository has it: `svc publish` of all, and `svc install` of some into seven tools. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { targets } from "../../contract/vocabulary.ts";
import { plainEnv, type Server } from "../../test/support/server.ts";
import { type Row, row } from "../figures/figures.ts";
import type { Sizes } from "../figures/options.ts";
import type { Client } from "../http/client.ts";
import { client, timed } from "./timed.ts";

const line = "Read the diff first, and name what the tests leave out.\n";
/** Aider takes packages of one file only. */
const tools = targets.filter((target) => target !== "aider");

export async function bulkRows(
  folder: string,
  server: Server,
  caller: Client,
  organization: string,
  { published, installed }: Sizes<"cli">,
): Promise<Row[]> {
  const env = plainEnv({ HOME: folder, SVC_API_URL: caller.base, SVC_TOKEN: caller.token });
  const run = (...args: string[]) =>
    timed(process.execPath, [client, ...args, "-o", "json"], { cwd: folder, env });
  writeSkills(join(folder, "skills"), published);

  const requestsBefore = countRequests(server);
  const publishing = await run("publish", "skills", "-t", organization, "-y");
  const requests = (countRequests(server) - requestsBefore) / published;
  const again = await run("publish", "skills", "-t", organization, "-y");

  const project = join(folder, "project");
  mkdirSync(project);
  let installing = 0;
  for (let n = 0; n < installed; n++)
    installing += await run(
      "install",
      `${organization}/bulk-${n % published}`,
      "-t",
      tools.join(),
      "-p",
      project,
    );
  return [
    row(
      `svc publish of ${published} skills`,
      publishing / 1000,
      "s",
      { most: 60 },
      `${requests.toFixed(2)} requests for each; unchanged ${(again / 1000).toFixed(1)} s`,
    ),
    row(
      `svc install of ${installed} skills into ${tools.length} tools`,
      installing / 1000,
      "s",
      { most: 10 },
      `${Math.round(installing / installed)} ms each`,
    ),
  ];
}

function countRequests(server: Server): number {
  return server.log().filter(({ msg }) => msg === "request").length;
}

function writeSkills(folder: string, count: number): void {
  for (let n = 0; n < count; n++) {
    const at = join(folder, `bulk-${n}`);
    for (const name of ["references", "scripts"]) mkdirSync(join(at, name), { recursive: true });
    const head = `---\nname: bulk-${n}\ndescription: Skill ${n} of many. Use it to measure.\n---\n\n# ${n}\n\n`;
    writeFileSync(join(at, "SKILL.md"), head + line.repeat(80));
    writeFileSync(join(at, "references", "guide.md"), `# ${n}\n\n${line.repeat(150)}`);
    writeFileSync(join(at, "scripts", "run.sh"), `#!/bin/sh\necho ${n}\n`, { mode: 0o755 });
  }
}
