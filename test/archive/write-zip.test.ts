import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { readZip, writeZip, type ZipMember } from "../../repos/archive/index.ts";
import { moduleFile, nodeOptions } from "../support/root.ts";

const member = (path: string, data: Buffer, mode: ZipMember["mode"] = "100644"): ZipMember => ({
  path,
  mode,
  size: data.length,
  open: async () => data,
});

async function collect(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

const sample = () => [
  member("SKILL.md", Buffer.from("# Sample\n")),
  member("a/empty", Buffer.alloc(0)),
  member("a/run.sh", Buffer.from("#!/bin/sh\n"), "100755"),
  member("ä/日本.txt", Buffer.alloc(70_000, "text ")),
];

describe("a written zip", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svc-zip-"));
  after(() => rm(folder, { recursive: true, force: true }));

  it("is read back unchanged by our reader and by another one", async () => {
    const path = join(folder, "sample.zip");
    await writeFile(path, await collect(writeZip(sample())));

    const files = await readZip(path, { rootFile: "SKILL.md" });

    assert.deepEqual(
      files.map(({ path: name, mode, data }) => [name, mode, data.length]),
      [
        ["SKILL.md", "100644", 9],
        ["a/empty", "100644", 0],
        ["a/run.sh", "100755", 10],
        ["ä/日本.txt", "100644", 70_000],
      ],
    );
    const script =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(*[(i.filename, oct(i.external_attr >> 16), i.date_time) for i in z.infolist()], sep='\\n')";
    const shown = execFileSync("python3", ["-c", script, path], {
      env: { PATH: process.env["PATH"], PYTHONUTF8: "1" },
    }).toString();
    assert.match(shown, /\('SKILL.md', '0o100644', \(1980, 1, 1, 0, 0, 0\)\)/);
    assert.match(shown, /\('a\/run.sh', '0o100755'/);
  });

  it("has the same bytes in every time zone", async () => {
    const program = `
      import { createHash } from "node:crypto";
      import { writeZip } from ${JSON.stringify(moduleFile("repos/archive/index.ts"))};
      const data = Buffer.alloc(5000, "text ");
      const hash = createHash("sha256");
      for await (const piece of writeZip([{ path: "SKILL.md", mode: "100644", size: 5000, open: async () => data }])) hash.update(piece);
      console.log(new Date(0).getHours(), hash.digest("hex"));`;
    const file = join(folder, "zone.mjs");
    await writeFile(file, program);

    const outputs = await Promise.all(
      ["UTC", "Pacific/Kiritimati", "America/St_Johns"].map((zone) =>
        promisify(execFile)(
          process.execPath,
          [...nodeOptions.map((one) => (one === "tsx" ? import.meta.resolve(one) : one)), file],
          {
            env: { PATH: process.env["PATH"], TZ: zone },
          },
        ),
      ),
    );

    const lines = outputs.map(({ stdout }) => stdout.trim().split(" "));
    const expected = createHash("sha256")
      .update(await collect(writeZip([member("SKILL.md", Buffer.alloc(5000, "text "))])))
      .digest("hex");
    assert.equal(new Set(lines.map(([hours]) => hours)).size, 3);
    assert.deepEqual(
      lines.map(([, digest]) => digest),
      [expected, expected, expected],
    );
  });

  it("streams large content, with the same bytes for any chunk sizes", async () => {
    const large = Buffer.alloc(9_000_000, "0123456789 large ");
    const members = () => [
      member("a", large),
      { ...member("b", large), open: async () => Readable.from([large.subarray(0, 77), large.subarray(77)]) },
    ];

    const [first, second] = [
      await collect(writeZip(members())),
      await collect(writeZip([member("a", large), member("b", large)])),
    ];

    assert.ok(first.equals(second));
    const path = join(folder, "large.zip");
    await writeFile(path, first);
    const files = await readZip(path);
    assert.ok(files.length === 2 && files.every(({ data }) => data.equals(large)));
  });

  it("fails with the error of a member, and if members are out of order", async () => {
    const broken = { ...member("b", Buffer.alloc(3)), open: () => Promise.reject(new Error("gone")) };
    const brokenStream = {
      ...member("b", Buffer.alloc(17_000_000)),
      open: async () =>
        new Readable({
          read() {
            this.destroy(new Error("torn"));
          },
        }),
    };

    await assert.rejects(collect(writeZip([member("a", Buffer.alloc(3)), broken])), /gone/);
    await assert.rejects(collect(writeZip([brokenStream])), /torn/);
    await assert.rejects(
      collect(writeZip([member("b", Buffer.alloc(1)), member("a", Buffer.alloc(1))])),
      /sorted/,
    );
    await assert.rejects(
      collect(writeZip([member("a", Buffer.alloc(1)), member("a", Buffer.alloc(1))])),
      /distinct/,
    );
  });
});
