/**
 * A sync with every kind of change, interrupted at each of its durable steps in turn, before it and after it; then
 * continued. A long run tries every step, another one each stage once.
 */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { isLong } from "../support/run-count.ts";
import { closedAfter } from "../support/set-up.ts";
import { interrupted } from "../support/sync/crash-points.ts";
import {
  newLedger,
  noteAct,
  readOutside,
  readPlatform,
  textKey,
  type Ledger,
} from "../support/sync/ledger.ts";
import { pushEdits } from "../support/sync/remote-actor.ts";
import { checkRestored, checkScenario } from "../support/sync/scenario-checks.ts";
import {
  newScenario,
  reconciled,
  startScenarioEnvironment,
  type Scenario,
} from "../support/sync/scenario.ts";
import { makePackage } from "../support/zip.ts";

const maxSteps = 200;
/** The first step of one of these names, or the n-th of all. */
const stops: readonly (string | number)[] = isLong
  ? Array.from({ length: maxSteps }, (_, index) => index + 1)
  : ["folders.commit", "skills.append", "syncBases.putMany", "mirror.push"];

const environment = await closedAfter(startScenarioEnvironment());

interface Scene {
  scenario: Scenario;
  ledger: Ledger;
  checked: Set<string>;
  /** A text that both sides edit in each turn, and a package that the remote actor edits. */
  text: string;
  kit: string;
  turn: number;
}

async function openScene(): Promise<Scene> {
  const scenario = await newScenario(environment, "github-token");
  const ledger = newLedger();
  scenario.copy.update();
  ledger.outside = readOutside(scenario, []);
  const scene = { scenario, ledger, checked: new Set<string>(), text: "", kit: "", turn: 0 };
  scene.text = await publish(scene, "Both");
  const uploadId = await environment.service.upload(
    scenario.owner,
    makePackage("kit", { "run.sh": "#!/bin/sh\n" }),
  );
  const kit = await scenario.api<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId: scenario.org.id,
    uploadId,
  });
  assert.equal(kit.status, 201);
  scene.kit = kit.data.skill.id;
  ledger.visibility.set(scene.kit, "private");
  await scenario.settle();
  await checkScenario(scenario, ledger, scene.checked);
  return scene;
}

async function publish({ scenario, ledger }: Scene, name: string, folder?: string): Promise<string> {
  const content = `# ${name}\n\nfirst\n`;
  const made = await scenario.api<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId: scenario.org.id,
    name,
    content,
    ...(folder === undefined ? {} : { folder, createFolders: true }),
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.data.skill;
  ledger.visibility.set(id, "private");
  noteAct(ledger, id, textKey(content), 1);
  return id;
}

/** A version of the text, based on its current content. */
async function goOn({ scenario, ledger, text }: Scene, line: string): Promise<void> {
  const { current } = (await readPlatform(scenario)).get(text)!;
  const content = `${current.replace(/^text /, "")}\n${line}\n`;
  const answer = await scenario.api<{ version: number }>("POST", `/api/skills/${text}/versions`, { content });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  noteAct(ledger, text, textKey(content), answer.data.version);
}

/** A change for every part of a sync. */
async function edit(scene: Scene): Promise<void> {
  const { scenario, ledger, turn } = scene;
  const { copy, api } = scenario;
  const doomed = await publish(scene, `Doomed ${turn}`);
  await publish(scene, `Filed ${turn}`, `room-${turn}`);
  await scenario.settle();

  pushEdits(scenario, ledger, () => {
    copy.write("skills/both/SKILL.md", `${copy.read("skills/both/SKILL.md")}\ntheirs ${turn}\n`);
    copy.write("skills/kit/run.sh", `#!/bin/sh\necho ${turn}\n`);
    copy.write(`skills/fresh-${turn}/SKILL.md`, `# Fresh\n\nfresh ${turn}\n`);
    // Its slug is taken, so it ends up at another path.
    cpSync(path.join(copy.folder, "skills/both"), path.join(copy.folder, `skills/box-${turn}/both`), {
      recursive: true,
    });
    copy.write(`skills/box-${turn}/both/SKILL.md`, `# Copied\n\ncopied ${turn}\n`);
    return "plain";
  });
  await goOn(scene, `ours ${turn}`);
  // The order of this publish and the remote actor's push can't be observed: the remote actor's edit must be current.
  for (const one of ledger.expected.values()) one.at = ledger.clock;
  ledger.deleted.set(doomed, ++ledger.clock);
  assert.equal((await api("DELETE", `/api/skills/${doomed}`)).status, 200);
  await eraseSkill(environment.service.app, { tenantId: scenario.org.id, skillId: doomed });
  const folders = await api<{ id: string; name: string }[]>("GET", `/api/tenants/${scenario.org.id}/folders`);
  const room = folders.data.find(({ name }) => name === `room-${turn}`)!;
  assert.equal((await api("PATCH", `/api/folders/${room.id}`, { name: `hall-${turn}` })).status, 200);
  await scenario.tell(scenario.tip()!);
  await environment.service.settled();
}

describe("an interrupted sync", () => {
  for (const when of ["before", "after"] as const)
    it(`${when} any of its steps is continued, and nothing is lost or done twice`, async () => {
      const scene = await openScene();
      const { scenario, ledger, checked } = scene;
      const met: string[] = [];
      for (const step of stops) {
        scene.turn++;
        await edit(scene);
        const crashing = interrupted(environment.service.app, { step, when, what: "kill" });
        await scenario.runOnce(crashing.app);
        const crashedAt = typeof step === "number" ? crashing.steps[step - 1] : step;
        const name = `${when} step ${step}, ${crashedAt}`;
        try {
          if (crashing.isMet()) await reconciled(environment);
          // In half of the cases a member publishes on top of what the interrupted sync left.
          if (crashing.isMet() && scene.turn % 2 === 0) await goOn(scene, `later ${step}`);
          await scenario.settle();
          await checkScenario(scenario, ledger, checked);
        } catch (error) {
          throw new Error(`${name}: ${String(error)}`, { cause: error });
        }
        if (!crashing.isMet()) break;
        met.push(crashedAt!);
      }
      if (isLong) assert.ok(new Set(met).size > 12 && met.length < maxSteps, met.join(", "));
      else assert.deepEqual(met, stops);
      await checkRestored(scenario, ledger);
      await scenario.close();
    });
});
