/** The last change of a directory in histories of many shapes, compared with native git. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runGit, type HostedRepo } from "../support/host/git-host.ts";
import { feedGit } from "../support/native-git.ts";
import { closedAfter } from "../support/set-up.ts";
import { openMirrorBench } from "./fixtures.ts";

const bench = await closedAfter(openMirrorBench());

const places = ["skills/a", "skills/b", "skills/ops/c", "skills/ops/deep/d", "skills/ops/deep/e"];
const asked = [...places, "skills/ops/deep", "skills/gone"];

/** Content by path. */
type Content = Readonly<Record<string, string>>;

interface Grown {
  mark: string;
  content: Content;
}

/** Deterministic for a seed. */
function numbersOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

/** Adds commits to the branch, with side branches and merges if `merges`; later ones may have earlier dates. */
function grow(repository: HostedRepo, seed: number, merges: boolean): void {
  const below = numbersOf(seed);
  const stream: string[] = [];
  let made = 0;
  const commit = (parents: readonly Grown[], content: Content): Grown => {
    const mark = `:${++made}`;
    const at = 1_700_000_000 + made * 10 - below(25);
    const message = `commit ${made}`;
    stream.push("commit refs/heads/main", `mark ${mark}`);
    for (const who of ["author", "committer"])
      stream.push(`${who} Remote Author <remote@example.com> ${at} +0000`);
    stream.push(`data ${message.length}`, message);
    for (const [i, parent] of parents.entries()) stream.push(`${i === 0 ? "from" : "merge"} ${parent.mark}`);
    stream.push("deleteall");
    for (const [path, text] of Object.entries(content))
      stream.push(`M 100644 inline ${path}/SKILL.md`, `data ${text.length}`, text);
    stream.push("");
    return { mark, content };
  };
  const edited = ({ content }: Grown): Content => {
    const next: Record<string, string> = { ...content, ["notes"]: `${made}` };
    // Only a few contents, so that they recur, and both sides of a merge may have the same.
    for (const place of places) if (below(5) === 0) next[place] = `${below(3)}`;
    if (below(10) === 0) delete next["skills/gone"];
    return next;
  };

  const first = { mark: repository.head()!, content: { "skills/gone": "0", [places[0]!]: "0" } };
  let lines: Grown[] = [first];
  for (let n = 0; n < 60; n++) {
    const i = below(lines.length);
    const line = lines[i]!;
    if (merges && lines.length < 4 && below(4) === 0) lines.push(commit([line], edited(line)));
    else if (lines.length > 1 && below(3) === 0) {
      const other = lines[(i + 1) % lines.length]!;
      const ours = below(2) === 0 ? line : other;
      const content = below(3) === 0 ? edited(ours) : { ...line.content, ...ours.content };
      lines = lines.filter((one) => one !== line && one !== other);
      lines.push(commit([line, other], content));
    } else lines[i] = commit([line], edited(line));
  }
  if (lines.length > 1) commit(lines, edited(lines[0]!));
  feedGit(repository.directory, `${stream.join("\n")}\n`, "fast-import", "--quiet", "--force");
}

describe("the last change of a directory", () => {
  for (const merges of [false, true])
    it(`is the one that native git reports, ${merges ? "through merges" : "in one line"}`, async () => {
      for (let seed = 1; seed <= 12; seed++) {
        const repository = await bench.host.newRepository();
        repository.commit({ "skills/gone/SKILL.md": "0", [`${places[0]}/SKILL.md`]: "0" });
        const mirror = bench.newMirror();
        await mirror.fetch(repository.remote, "main");
        grow(repository, seed, merges);
        const tip = repository.head()!;
        await mirror.fetch(repository.remote, "main");

        const changes = await mirror.lastChanges(tip, asked);

        const actual = asked.map((path) => [path, changes.get(path)?.exact ? changes.get(path)!.oid : ""]);
        const native = asked.map((path) => [
          path,
          runGit(repository.directory, "log", "-1", "--format=%H", "main", "--", path),
        ]);
        assert.deepEqual(actual, native, `seed ${seed}`);
      }
    });

  it("is unknown beyond the commits that are searched", async () => {
    const repository = await bench.host.newRepository();
    repository.commit({ [`${places[0]}/SKILL.md`]: "0" });
    const mirror = bench.newMirror();
    await mirror.fetch(repository.remote, "main");
    const first = repository.head()!;
    const stream: string[] = [];
    for (let n = 1; n <= 2100; n++)
      stream.push(
        "commit refs/heads/main",
        `committer Remote Author <remote@example.com> ${1_700_000_000 + n} +0000`,
        "data 1",
        "x",
        ...(n === 1 ? [`from ${first}`] : []),
        `M 100644 inline ${n === 50 ? places[1] : n === 300 ? places[2] : "notes"}/SKILL.md`,
        `data ${String(n).length}`,
        String(n),
        "",
      );
    feedGit(repository.directory, `${stream.join("\n")}\n`, "fast-import", "--quiet");
    const tip = repository.head()!;
    await mirror.fetch(repository.remote, "main");

    const changes = await mirror.lastChanges(tip, places.slice(0, 3));

    const [start, beyond, within] = places.slice(0, 3).map((path) => changes.get(path)!);
    assert.deepEqual([start!.exact, start!.oid], [false, tip]);
    assert.deepEqual([beyond!.exact, beyond!.oid], [false, tip]);
    assert.equal(within!.exact, true);
    assert.equal(
      within!.oid,
      runGit(repository.directory, "log", "-1", "--format=%H", "main", "--", places[2]!),
    );
  });
});
