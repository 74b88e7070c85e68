import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planImport } from "../../src/sync/content/import/plan-import.ts";
import type { MergeBase, ImportAction, RemoteDirectory } from "../../src/sync/content/plan-types.ts";
import { sinceBase } from "../../src/sync/content/proposal-state.ts";
import { requestText } from "../../src/sync/run/pull-request.ts";

const content = (contentTree: string, path = "skills/a") => ({ path, contentTree });
const base = (contentTree: string, path = "skills/a"): MergeBase => ({ skillId: "A", path, contentTree });

describe("a proposed skill", () => {
  const row = { skillId: "A", since: "0", contents: [content("1"), content("2"), content("3")] };
  const left = (
    given: typeof row | (Omit<typeof row, "since"> & { since: null }),
    to: MergeBase | undefined,
  ) => sinceBase(given, to, true).contents.map(({ contentTree }) => contentTree);

  it("lags behind the branch up to the content that the branch has", () => {
    assert.deepEqual(left(row, base("0")), ["1", "2", "3"]);
    assert.deepEqual(left(row, base("2")), ["3"]);
    assert.deepEqual(left(row, base("3")), []);
    assert.deepEqual(left(row, base("edited")), []);
    assert.equal(sinceBase(row, base("2"), true).since, "2");
  });

  it("counts until the branch has it if it is new, or lacks it if it was deleted", () => {
    const fresh = { ...row, since: null };
    assert.deepEqual(left(fresh, undefined), ["1", "2", "3"]);
    assert.deepEqual(left(fresh, base("1")), ["2", "3"]);
    assert.equal(sinceBase(fresh, undefined, false).contents.length, 3);
    assert.equal(sinceBase(row, undefined, false).contents.length, 0);
  });
});

describe("a proposed directory", () => {
  const skill = { id: "A", path: "skills/a" };
  const dir = (contentTree: string, path = "skills/a", svcId: string | undefined = "A"): RemoteDirectory => ({
    path,
    contentTree,
    svcId,
  });
  interface Fixture {
    remote: RemoteDirectory[];
    bases?: MergeBase[];
    current?: string;
    isAlive?: boolean;
    isTaken?: boolean;
    proposed?: { path: string; contentTree: string }[];
  }
  async function plan(fixture: Fixture): Promise<ImportAction[]> {
    const { remote, bases = [base("0")], current = "2", isAlive = true, isTaken = false } = fixture;
    const { proposed = [content("1"), content("2")] } = fixture;
    const ask = {
      exported: async () => ({ contentTree: current }),
      contentTreesOf: async () => new Set([current]),
      holdsVersion: async () => false,
      resemblesOther: async () => false,
      since: async () => [],
      now: () => new Date(),
    };
    return planImport(remote, bases, isAlive ? [skill] : [], ask, {
      of: (id) => (id === "A" ? proposed : []),
      areMerged: async () => isTaken,
    });
  }
  const adopt = (contentTree: string) => [{ kind: "adopt", skillId: "A", path: "skills/a", contentTree }];
  const version = (contentTree: string, conflict: boolean) => [
    { kind: "version", skillId: "A", path: "skills/a", contentTree, conflict },
  ];

  it("is agreed on, however late it is merged", async () => {
    assert.deepEqual(await plan({ remote: [dir("1")] }), adopt("1"));
    assert.deepEqual(await plan({ remote: [dir("1")], bases: [] }), adopt("1"));
    assert.deepEqual(await plan({ remote: [dir("1")], isAlive: false }), adopt("1"));
    assert.deepEqual(await plan({ remote: [dir("1")], isAlive: false, bases: [] }), adopt("1"));
  });

  it("is an edit of the proposal if that was merged, else an independent one", async () => {
    assert.deepEqual(await plan({ remote: [dir("x")], isTaken: true }), version("x", false));
    assert.deepEqual(await plan({ remote: [dir("x")], isTaken: false }), version("x", true));
    assert.deepEqual(await plan({ remote: [dir("x")], isTaken: true, current: "9" }), version("x", true));
    assert.deepEqual(await plan({ remote: [dir("x")], isTaken: true, bases: [] }), version("x", false));
  });

  it("is recognized at its path without its .svc.json", async () => {
    const bare = { path: "skills/a", contentTree: "x", svcId: undefined };
    assert.deepEqual(await plan({ remote: [bare], bases: [], isTaken: true }), version("x", false));
    const [own] = await plan({ remote: [bare], bases: [], isTaken: false });
    assert.equal(own?.kind, "create", "before that it is a skill of its own");
    assert.deepEqual(
      await plan({ remote: [bare], bases: [], proposed: [] }).then(([one]) => one?.kind),
      "create",
    );
  });

  it("is no second skill while its old path still exists", async () => {
    const bases = [base("0", "skills/old")];
    const remote = [dir("0", "skills/old"), dir("2")];
    assert.deepEqual(await plan({ remote, bases }), []);
    const [other] = await plan({ remote: [dir("0", "skills/old"), dir("2", "skills/copy")], bases });
    assert.equal(other?.kind, "create", "elsewhere it is a copy");
  });
});

describe("the text of a pull request", () => {
  const step = (
    skillId: string,
    put: { path: string; from?: string } | undefined,
    remove: string[] = [],
  ) => ({
    skillId,
    put,
    remove,
    after: undefined,
  });
  const skills = new Map<string, never>();

  it("lists what it writes, moves and removes, by path, up to a readable length", () => {
    const one = requestText([step("A", { path: "skills/a" })], skills);
    const many = requestText(
      [
        step("B", undefined, ["skills/b"]),
        step("A", { path: "skills/a", from: "skills/z" }, ["skills/z"]),
        ...Array.from({ length: 120 }, (_, n) => step(`S${n}`, { path: `skills/s${n}` })),
      ],
      skills,
    );
    assert.equal(one.title, "Sync skills/a");
    assert.equal(requestText([step("B", undefined, ["skills/b"])], skills).title, "Remove skills/b");
    assert.equal(requestText([], skills).title, "Refresh the list of skills");
    assert.equal(many.title, "Sync 122 skills");
    assert.match(many.body, /^- `skills\/z` becomes `skills\/a`\n- `skills\/b` is removed\n/m);
    assert.match(many.body, /^- and 22 more$/m);
    assert.equal(many.body.split("\n").filter((line) => line.startsWith("- ")).length, 101);
  });

  it("escapes names", () => {
    const { body, title } = requestText([step("A", { path: `skills/\`@ada\n${"x".repeat(500)}` })], skills);
    assert.match(body, /^- `skills\/'@ada'x+`$/m);
    assert.ok(title.length <= 256);
  });
});
