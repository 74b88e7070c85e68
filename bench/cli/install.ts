/** `svc install` of a public skill, against `npx skills add` of the same skill from the same service. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainEnv, removeFolder } from "../../test/support/server.ts";
import { type Row, median, row } from "../figures/figures.ts";
import type { Client } from "../http/client.ts";
import { installPeers } from "../peers/install.ts";
import { client, timed } from "./timed.ts";

/** Each turn has new homes, so that neither side finds anything of an earlier one. */
export async function installRows(
  folder: string,
  caller: Client,
  organization: string,
  turns: number,
): Promise<Row[]> {
  const peers = installPeers();
  const source = join(folder, "bench-skill.md");
  const text = "Read the diff first.\n".repeat(400);
  writeFileSync(source, `---\nname: bench-skill\ndescription: A skill to install\n---\n${text}`);
  const env = plainEnv({ HOME: folder, SVC_API_URL: caller.base, SVC_TOKEN: caller.token });
  await timed(
    process.execPath,
    [client, "publish", source, "-t", organization, "--visibility", "public", "-o", "json"],
    {
      cwd: folder,
      env,
    },
  );
  const ref = `${organization}/bench-skill`;
  const own: number[] = [];
  const peer: number[] = [];
  for (let turn = -1; turn < turns; turn++) {
    const [ownHome, peerHome] = [join(folder, "own"), join(folder, "peer")];
    for (const home of [ownHome, peerHome]) mkdirSync(home);
    const ownTime = await timed(
      process.execPath,
      [client, "install", ref, "-t", "claude", "-g", "--trust", organization, "-o", "json"],
      { cwd: ownHome, env: plainEnv({ HOME: ownHome, SVC_API_URL: caller.base }) },
    );
    const peerTime = await timed(
      "npx",
      ["skills", "add", `${caller.base}/${ref}.git`, "-g", "-y", "-a", "claude-code"],
      {
        cwd: peers,
        env: plainEnv({ HOME: peerHome, DISABLE_TELEMETRY: "1", npm_config_update_notifier: "false" }),
      },
    );
    for (const home of [ownHome, peerHome]) removeFolder(home);
    if (turn < 0) continue;
    own.push(ownTime);
    peer.push(peerTime);
  }
  const note = `${Math.round(median(own))} against ${Math.round(median(peer))} ms`;
  return [row("svc install / npx skills add", median(own) / median(peer), "x", { most: 0.5 }, note)];
}
