/** A home, a project and a registry with three skills, for tests of install, pull and uninstall. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Config } from "../../cli/state/config.ts";
import { type Ran, type StubSkill, startRegistry, svc, temporaryFolder } from "./harness.ts";

export interface Fixture {
  home: string;
  project: string;
  apiUrl: string;
  run: (...argv: string[]) => Promise<Ran>;
  skills: StubSkill[];
  /** Files that the next runs find, other than the address of the registry. */
  machine: { env: NodeJS.ProcessEnv; platform: NodeJS.Platform };
  config: () => Promise<Config>;
  read: (...path: string[]) => Promise<string>;
}

export const kit = (text: string): Record<string, { data: string; mode?: "100644" | "100755" }> => ({
  "SKILL.md": { data: `---\nname: kit\ndescription: d\n---\n${text}` },
  "scripts/run.sh": { data: "#!/bin/sh\n", mode: "100755" },
  "assets/ü.txt": { data: text },
});

/** A home, a project, and a registry with a text skill, a rule and a package. */
export async function makeFixture(
  t: TestContext,
  intercept?: Parameters<typeof startRegistry>[2],
): Promise<Fixture> {
  const home = await temporaryFolder(t);
  const project = await temporaryFolder(t);
  const skills: StubSkill[] = [
    {
      slug: "review",
      publicId: "aaaaaaaaaa",
      name: "Review",
      versions: [{ semver: "1.0.0", body: "one\n" }],
    },
    {
      slug: "house",
      publicId: "bbbbbbbbbb",
      name: "House",
      type: "rule",
      versions: [{ semver: "1.0.0", body: "rule\n" }],
    },
    { slug: "kit", publicId: "cccccccccc", name: "Kit", versions: [{ semver: "1.0.0", files: kit("one") }] },
  ];
  const apiUrl = await startRegistry(t, skills, intercept);
  const machine: Fixture["machine"] = { env: {}, platform: "linux" };
  return {
    home,
    project,
    apiUrl,
    skills,
    machine,
    run: (...argv) =>
      svc([...argv, "-o", "json"], {
        home,
        cwd: project,
        env: { SVC_API_URL: apiUrl, ...machine.env },
        platform: machine.platform,
      }),
    config: async () => JSON.parse(await readFile(join(home, ".svc", "config.json"), "utf8")) as Config,
    read: (...path) => readFile(join(...path), "utf8"),
  };
}

/** The document of a run that printed nothing on stderr. */
export function dataOf<T>(ran: Ran): T {
  assert.equal(ran.stderr, "");
  return ran.data as T;
}
