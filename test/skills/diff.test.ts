import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DiffPayload } from "../../contract/payloads/skills/skills.ts";
import { packageFiles as files, publishPackage, zipOf } from "../support/package-files.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

const publish = (fields: object = {}, content = files) =>
  publishPackage(service, owner, org, fields, content);

describe("comparing two versions", () => {
  it("reports added, removed, changed and binary files, and changes of mode only", async () => {
    const lines = (last: string) => Buffer.from(["a", "b", "c", "d", "e", "f", last, ""].join("\n"));
    const old = { ...files, "list.txt": lines("old"), "gone.txt": Buffer.from("bye\n") };
    const fresh = {
      ...files,
      "list.txt": lines("new"),
      "new.txt": Buffer.from("hi\n"),
      "data/空 白.bin": Buffer.from([0, 9]),
    };
    const { skill } = await publish({}, old);
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { uploadId: await service.upload(owner, zipOf(fresh)) },
    });

    const diff = (query: string) =>
      service.call<DiffPayload>("GET", `/api/skills/${skill.id}/diff?${query}`, { token: owner.token });
    const forward = await diff("from=1&to=2");

    assert.deepEqual(
      forward.data.files.map((file) => [file.path, file.status, file.binary, file.truncated]),
      [
        ["data/空 白.bin", "modified", true, false],
        ["gone.txt", "removed", false, false],
        ["list.txt", "modified", false, false],
        ["new.txt", "added", false, false],
      ],
    );
    assert.deepEqual(forward.data.files[2]!.hunks, [
      { oldStart: 4, oldLines: 4, newStart: 4, newLines: 4, lines: [" d", " e", " f", "-old", "+new"] },
    ]);
    assert.deepEqual((await diff("from=1.0.0")).data, forward.data);
    assert.deepEqual((await diff("from=2&to=2")).data.files, []);
    assert.equal((await diff("from=1&to=9")).code, "not_found");
    const whole = (await diff("from=0&to=1&renames=true")).data;
    assert.deepEqual([whole.from, whole.to], [0, 1]);
    assert.deepEqual(
      whole.files.map(({ path, status }) => [path, status]),
      Object.keys(old)
        .sort()
        .map((path) => [path, "added"]),
    );
    const gone = whole.files.find(({ path }) => path === "gone.txt");
    assert.deepEqual(
      gone?.hunks.flatMap((hunk) => hunk.lines),
      ["+bye"],
    );
    const patch = await service.raw("GET", `/api/skills/${skill.id}/diff?from=0&to=1`, {
      token: owner.token,
      headers: { accept: "text/x-diff" },
    });
    assert.match(await patch.text(), /new file mode 100644\n[^]*--- \/dev\/null\n\+\+\+ b\/gone\.txt/);
    // An unhandled rejection of a look-up would end the process before the next response.
    for (let i = 0; i < 5; i++)
      assert.equal((await diff("from=9.9.9&to=no%20version")).code, "invalid_request");
    assert.equal((await diff("to=1")).code, "invalid_request");
  });

  it("names the heading or the declaration above each change, outside of fenced code", async () => {
    const filler = (letter: string) => Array.from({ length: 8 }, (_, n) => `${letter}${n}`).join("\n");
    const texts = (word: string) => ({
      "SKILL.md": Buffer.from(
        `---\nname: x\ndescription: y\n---\n# Title\n${filler("a")}\n\`\`\`\n# no heading\n\`\`\`\n${filler("b")}\n${word}\n`,
      ),
      "run.py": Buffer.from(`def run():\n  ${filler("c").replaceAll("\n", "\n  ")}\n  ${word}\n`),
      "list.txt": Buffer.from(`${filler("d")}\n${word}\n`),
    });
    const { skill } = await publish({}, texts("old"));
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { uploadId: await service.upload(owner, zipOf(texts("new"))) },
    });
    const answer = await service.call<DiffPayload>("GET", `/api/skills/${skill.id}/diff?from=1`, {
      token: owner.token,
    });
    assert.deepEqual(
      answer.data.files.map(({ path, hunks }) => [path, hunks[0]!.section]),
      [
        ["SKILL.md", "# Title"],
        ["list.txt", undefined],
        ["run.py", "def run():"],
      ],
    );
  });

  it("limits the length of a response", async () => {
    const line = (letter: string) => Buffer.from(`${letter.repeat(1024 * 1000)}\n`);
    const tree = (letter: string) => ({
      "SKILL.md": files["SKILL.md"]!,
      ...Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`f${n}.txt`, line(letter)])),
    });
    const { skill } = await publish({}, tree("a"));
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { uploadId: await service.upload(owner, zipOf(tree("b"))) },
    });

    const answer = await service.call<DiffPayload>("GET", `/api/skills/${skill.id}/diff?from=1`, {
      token: owner.token,
    });

    const truncated = answer.data.files.map((file) => file.truncated);
    // On a slow and busy machine, the time for all files ends first.
    const shown = truncated.indexOf(true);
    assert.ok(shown >= 1 && shown <= 4, String(truncated));
    assert.deepEqual(truncated.slice(shown), Array(6 - shown).fill(true));
  });

  it("limits the number of lines in a response", async () => {
    const lines = (count: number) => Buffer.from("x\n".repeat(count));
    const { skill } = await publish();
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: {
        uploadId: await service.upload(
          owner,
          zipOf({ ...files, "a-few.txt": lines(20), "b-many.txt": lines(60_000), "c-few.txt": lines(30) }),
        ),
      },
    });

    const answer = await service.call<DiffPayload>("GET", `/api/skills/${skill.id}/diff?from=1`, {
      token: owner.token,
    });

    assert.deepEqual(
      answer.data.files.map((file) => [file.path, file.truncated, file.hunks[0]?.lines.length]),
      [
        ["a-few.txt", false, 20],
        ["b-many.txt", true, undefined],
        ["c-few.txt", false, 30],
      ],
    );
  });

  it("gives up on hostile files", async () => {
    const noise = (salt: number) =>
      Buffer.from(Array.from({ length: 20_000 }, (_, i) => `${(i * 7919 * salt) % 10_007}`).join("\n"));
    const tree = (salt: number) =>
      Object.fromEntries([
        ["SKILL.md", files["SKILL.md"]!],
        ...Array.from({ length: 30 }, (_, i) => [`n${i}.txt`, noise(salt + i)]),
      ]) as Record<string, Buffer>;
    const { skill } = await publish({}, tree(1));
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { uploadId: await service.upload(owner, zipOf(tree(2))) },
    });

    const answer = await service.call<DiffPayload>("GET", `/api/skills/${skill.id}/diff?from=1&to=2`, {
      token: owner.token,
    });

    assert.equal(answer.status, 200);
    assert.ok(answer.data.files.filter((file) => file.truncated).length >= 20);
  });
});
