import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MergeBase, RemoteDirectory } from "../../src/sync/content/plan-types.ts";
import { a, b, base, dir, plan, summarize, type PlanInput } from "../support/sync/import-plans.ts";

describe("directories that were swapped or replaced", () => {
  const record = (skillId: string) => `record of ${skillId}`;
  const found = (path: string, contentTree: string, svcId?: string): RemoteDirectory => ({
    ...dir(path, contentTree, svcId),
    svcBlob: svcId === undefined ? null : record(svcId),
  });
  const agreed = (skillId: string, path: string, contentTree: string, strayPath?: string): MergeBase => ({
    ...base(skillId, path, contentTree, strayPath),
    svcBlob: record(skillId),
  });
  const bases = [agreed("A", "skills/a", "one"), agreed("B", "skills/b", "two")];
  const versions = { A: ["one"], B: ["two"] };
  const cases: [
    what: string,
    directories: RemoteDirectory[],
    expected: string[],
    more?: Partial<PlanInput>,
  ][] = [
    [
      "move their skills if they were swapped",
      [found("skills/a", "two", "B"), found("skills/b", "one", "A")],
      ["adopt skills/a B", "adopt skills/b A"],
    ],
    [
      "move their skills if they were swapped and edited",
      [found("skills/a", "two more", "B"), found("skills/b", "one more", "A")],
      ["version skills/a B", "version skills/b A"],
    ],
    [
      "are not imported without their .svc.json",
      [found("skills/a", "two"), found("skills/b", "one")],
      ["identity_unclear skills/a A", "identity_unclear skills/b B"],
    ],
    [
      "are refused individually if the versions of their skill can't be read",
      [found("skills/a", "two"), found("skills/b", "two more", "B")],
      ["unreadable skills/a A", "version skills/b B"],
      { versions: { B: ["two"] } },
    ],
    [
      "are the skill that was moved over another",
      [found("skills/a", "two more", "B")],
      ["version skills/a B"],
    ],
    [
      "are not imported if one was copied over another",
      [found("skills/a", "two more", "B"), found("skills/b", "two", "B")],
      ["identity_unclear skills/a A"],
    ],
    [
      "are not imported with the .svc.json of a skill that is unknown here",
      [found("skills/a", "other", "of another organization"), found("skills/b", "two", "B")],
      ["identity_unclear skills/a A"],
    ],
    [
      "are new skills if their own skill is at another path",
      [found("skills/a", "mine"), found("skills/z", "one", "A"), found("skills/b", "two", "B")],
      ["create skills/a", "adopt skills/z A"],
    ],
    [
      "remain their skill's if only the .svc.json is missing or wrong",
      [found("skills/a", "one"), found("skills/b", "two", "A")],
      [],
    ],
    [
      "remain their skill's if they are pushed again as before their first export",
      [found("skills/a", "bare one"), found("skills/b", "two", "B")],
      ["version skills/a A"],
      { versions: { A: ["imported bare one as one"], B: ["two"] } },
    ],
    [
      "are not imported if the .svc.json is missing and the content is another skill's, edited",
      [found("skills/a", "two, edited"), found("skills/b", "two", "B")],
      ["identity_unclear skills/a A"],
    ],
    [
      "remain their skill's, edited, if only the .svc.json is missing",
      [found("skills/a", "anew"), found("skills/b", "two", "B")],
      ["version skills/a A"],
    ],
    [
      "remain their skill's, edited, even if another skill's directory is gone",
      [found("skills/a", "anew")],
      ["version skills/a A"],
    ],
    [
      "remain the skill's that was moved to their path here",
      [found("skills/c", "anew"), found("skills/b", "two", "B")],
      ["version skills/c A"],
      { skills: [{ id: "A", path: "skills/c" }, b] },
    ],
    [
      "remain their skill's while the .svc.json is unchanged, whatever it contains",
      [{ ...found("skills/a", "one more", "B"), svcBlob: record("A") }, found("skills/b", "two", "B")],
      ["version skills/a A"],
    ],
    [
      "may return to earlier content of their skill",
      [found("skills/a", "two"), found("skills/b", "two", "B")],
      ["version skills/a A"],
      { versions: { A: ["two", "one"], B: ["two"] } },
    ],
    [
      "are new skills at a path that a skill was moved to and from",
      [found("skills/a", "one", "A"), found("skills/z", "mine"), found("skills/b", "two", "B")],
      ["create skills/z"],
      { bases: [agreed("A", "skills/a", "one", "skills/z"), bases[1]!] },
    ],
    [
      "belong to the moved skill at the path of a deleted one",
      [found("skills/a", "two more", "B")],
      ["version skills/a B"],
      { skills: [b] },
    ],
    [
      "are new skills at the path of a deleted skill, whichever skill they name",
      [found("skills/a", "two more", "B"), found("skills/b", "two", "B")],
      ["create skills/a A"],
      { skills: [b] },
    ],
    [
      "belong to the skill that was created from a deleted one's directory while the .svc.json is unchanged",
      [found("skills/a", "two more", "A")],
      ["version skills/a B"],
      { skills: [b], bases: [bases[0]!, { ...agreed("B", "skills/a", "two"), svcBlob: record("A") }] },
    ],
    [
      "remain that skill's with the deleted one's content and no .svc.json",
      [found("skills/a", "one")],
      ["version skills/a B"],
      { skills: [b], bases: [bases[0]!, agreed("B", "skills/a", "two")], versions: { B: ["one", "two"] } },
    ],
    [
      "are not imported with a deleted skill's .svc.json at the path of another",
      [found("skills/a", "two more", "A")],
      ["identity_unclear skills/a B"],
      { skills: [b], bases: [bases[0]!, agreed("B", "skills/a", "two")] },
    ],
  ];
  for (const [what, directories, expected, more] of cases)
    it(what, async () => {
      const { actions } = await plan({ directories, bases, skills: [a, b], versions, ...more });
      assert.deepEqual(summarize(actions), expected);
    });
});
