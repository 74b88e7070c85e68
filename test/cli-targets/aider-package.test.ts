import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dataOf, kit, makeFixture } from "../cli/fixture.ts";

interface Installed {
  installed: { platform: string; method: string; path: string; format: string }[];
  skipped: { platform: string; reason: string }[];
}

const only = (text: string) => ({
  "SKILL.md": { data: `\uFEFF---\nname: solo\ndescription: d\n---\n\n${text}` },
});

describe("a package whose only file is its SKILL.md", () => {
  it("is a text for aider, linked or copied, and follows updates", async (t) => {
    const { run, skills, project, read } = await makeFixture(t);
    skills.push({
      slug: "solo",
      publicId: "dddddddddd",
      name: "Solo",
      versions: [{ semver: "1.0.0", files: only("one\n") }],
    });
    const file = () => read(project, ".aider/skills/solo.md");
    const place = ["-t", "aider,cursor", "-p"];

    const first = dataOf<Installed>(await run("install", "solo", ...place));
    const linked = await file();
    const copied = dataOf<Installed>(await run("install", "solo", ...place, "--copy"));

    assert.deepEqual(
      first.installed.map(({ platform, method, format }) => `${platform} ${method} ${format}`),
      ["aider symlink package", "cursor copy package"],
    );
    assert.equal(linked, "# Solo\n\none\n");
    assert.equal(copied.installed[0]!.method, "copy");
    assert.equal(await file(), linked);

    skills.at(-1)!.versions.push({ semver: "1.1.0", files: only("# Title\ntwo\n") });
    assert.equal((await run("pull")).code, 0);
    assert.equal(await file(), "# Title\ntwo\n");
    assert.equal((await run("verify")).code, 0);

    assert.equal((await run("uninstall", "solo")).code, 0);
    await assert.rejects(file(), { code: "ENOENT" });
  });

  it("is restored from a lock", async (t) => {
    const { run, skills, project, home, read } = await makeFixture(t);
    skills.push({
      slug: "solo",
      publicId: "dddddddddd",
      name: "Solo",
      versions: [{ semver: "1.0.0", files: only("one\n") }],
    });
    assert.equal((await run("install", "solo", "-t", "aider", "-p", "--save")).code, 0);
    assert.equal((await run("profile", "create", "other")).code, 0, home);
    assert.equal((await run("restore", "--profile", "other")).code, 0);
    assert.equal(await read(project, ".aider/skills/solo.md"), "# Solo\n\none\n");
  });

  it("keeps its text in aider if the next version has more files, which is reported", async (t) => {
    const { run, skills, project, read } = await makeFixture(t);
    const [, , bundle] = skills;
    bundle!.versions = [{ semver: "1.0.0", files: only("one\n") }];
    assert.equal((await run("install", "kit", "-t", "aider,claude", "-p")).code, 0);

    bundle!.versions.push({ semver: "1.1.0", files: kit("two") });
    const pulled = await run("pull");

    assert.equal(pulled.code, 1);
    assert.match(pulled.stdout, /aider does not support package skills/);
    assert.equal(await read(project, ".aider/skills/kit.md"), "# Kit\n\none\n");
  });
});
