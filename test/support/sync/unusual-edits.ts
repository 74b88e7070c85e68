/** A remote actor who makes unusual edits: swaps, half-moved directories, odd names, YAML of every form. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { Random } from "../random.ts";
import { skillDirectories, type SyncFixture } from "./fixture.ts";

/** In each text: the directory that it was first written for. */
export const originOf = (text: string) => /^origin: (\S+)$/m.exec(text)?.[1];

/** Blocks between the lines of a frontmatter; some are no YAML. */
const frontmatters = [
  "",
  "name: plain\ndescription: A description.",
  "# a comment\nname:   spaced  \nversion: 1.10\nmode: 010",
  "name: ~\nlarge: 123456789012345678901234567890\nhex: 0xFF",
  "name: [",
  "name: one\nname: two",
  "a: &anchor [1, 2]\nb: *anchor",
  "a: *missing",
  "? complex\n: value",
  "folded: >-\n  two\n  lines\nliteral: |\n  kept\n",
  "tagged: !!binary aGVsbG8=",
  "date: 2001-12-14t21:59:43.10-05:00\ninf: .inf",
  "--- !other\nname: x",
  "\tname: tab",
  `deep: ${"[".repeat(40)}${"]".repeat(40)}`,
  "just a sentence",
  "- a\n- list",
  "quoted: \"\\u00e9 \\x41\"\nsingle: 'it''s'",
];

const oddNames = [
  "a\\b",
  "tab\there",
  ".svc.json",
  "SKILL.md",
  "README.md",
  "con",
  "ends.",
  "Naïve 漢字",
  "x".repeat(200),
];

export interface OddActor {
  /** Updates, edits, commits and pushes, all at once. */
  push(): void;
}

export function createOddActor({ copy }: SyncFixture, random: Random): OddActor {
  let count = 0;
  /** Whether the branch is made again as one commit. */
  let isWithoutHistory = false;
  const at = (place: string) => path.join(copy.folder, place);
  const rootOf = (place: string) =>
    existsSync(at(`${place}/SKILL.md`)) ? `${place}/SKILL.md` : `${place}/RULE.md`;
  const textOf = (origin: string | undefined) => {
    const block = random.pick(frontmatters);
    const words = origin === undefined ? `words ${count}` : `origin: ${origin}`;
    const text = `${block === "" ? "" : `---\n${block}\n---\n\n`}# Text ${++count}\n\n${words}\n`;
    return random.pick([
      text,
      text,
      text.replaceAll("\n", "\r\n"),
      `\uFEFF${text}`,
      `\n\n${text}`,
      text.trimEnd(),
    ]);
  };
  const skills = () => skillDirectories(copy.folder).filter((place) => existsSync(at(rootOf(place))));
  const makeNew = (place: string) => copy.write(`${place}/SKILL.md`, textOf(`new-${count}`));
  const replaceRoot = (place: string, put: (root: string) => void) => {
    const root = at(rootOf(place));
    rmSync(root, { recursive: true, force: true });
    put(root);
  };
  const swap = (one: string, other: string) => {
    // A directory inside another can't be swapped with it.
    if (one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)) return;
    renameSync(at(one), at("passing"));
    renameSync(at(other), at(one));
    renameSync(at("passing"), at(other));
  };

  const edits: ((place: string, other: string) => void)[] = [
    (place) => {
      const root = at(rootOf(place));
      if (root.endsWith(".md")) writeFileSync(root, `${readFileSync(root, "utf8")}\nmore ${++count}\n`);
    },
    (place) => {
      const root = at(rootOf(place));
      const origin = originOf(readFileSync(root, "utf8").replaceAll("\r", ""));
      // Without a .svc.json, a new text is for the skill at this path, whatever was here before.
      const isNamed = existsSync(at(`${place}/.svc.json`));
      writeFileSync(root, textOf(isNamed ? (origin ?? place.replaceAll(/\s/g, "_")) : undefined));
    },
    () => makeNew(`skills/${random.pick(["", "in/", "New Room/"])}made-${++count}`),
    () => makeNew(`skills/${random.pick(oddNames)}`),
    () => makeNew(`skills/${random.pick(oddNames)}/within-${++count}`),
    (place) =>
      copy.write(`${place}/${random.pick(["notes.txt", "sub/deep.txt", "a\\b.txt"])}`, `note ${++count}\n`),
    swap,
    (place, other) => {
      swap(place, other);
      if (random.chance(0.5)) rmSync(at(other), { recursive: true, force: true });
    },
    (place, other) => {
      if (place === other || place.startsWith(`${other}/`) || other.startsWith(`${place}/`)) return;
      rmSync(at(place), { recursive: true });
      cpSync(at(other), at(place), { recursive: true });
      if (random.chance(0.5)) rmSync(at(`${place}/.svc.json`), { force: true, recursive: true });
    },
    (place) =>
      renameSync(at(rootOf(place)), at(`${place}/${random.pick(["skill.md", "Skill.md", "text.md"])}`)),
    (place) => replaceRoot(place, () => copy.write(`${place}/left-${++count}.txt`, `left ${count}\n`)),
    (place) => replaceRoot(place, (root) => symlinkSync("elsewhere.md", root)),
    (place) =>
      replaceRoot(place, (root) => {
        mkdirSync(root);
        writeFileSync(path.join(root, "SKILL.md"), `# Inside ${++count}\n`);
      }),
    (place) => {
      rmSync(at(place), { recursive: true });
      if (random.chance(0.7)) writeFileSync(at(place), `a file ${++count}\n`);
    },
    (place) => rmSync(at(`${place}/.svc.json`), { force: true, recursive: true }),
    (place) => {
      const root = rootOf(place);
      rmSync(at(place), { recursive: true });
      copy.write(root, textOf(undefined));
    },
    () => {
      isWithoutHistory = true;
      copy.git("checkout", "-q", "--orphan", `fresh-${++count}`);
    },
    (place) => {
      rmSync(at(`${place}/.svc.json`), { force: true, recursive: true });
      copy.write(`${place}/.svc.json/mine.txt`, `mine ${++count}\n`);
    },
    (place) => {
      const to = `skills/${random.pick(["", "in/"])}went-${++count}`;
      mkdirSync(path.dirname(at(to)), { recursive: true });
      (random.chance(0.5) ? renameSync : copyTree)(at(place), at(to));
    },
    (place) => {
      const inner = `${place}/inner`;
      copy.write(`${inner}/SKILL.md`, textOf(`new-${count}`));
    },
    () => copy.write("skills/README.md", `# Mine ${++count}\n`),
    () => rmSync(at("skills/README.md"), { force: true, recursive: true }),
    () => copy.write(`skills/${random.pick(["", "in/"])}loose.txt`, `loose ${++count}\n`),
  ];

  return {
    push() {
      copy.update();
      isWithoutHistory = false;
      for (let many = 1 + random.below(3); many > 0; many--) {
        const places = skills();
        const edit = places.length < 2 ? () => makeNew(`skills/made-${++count}`) : random.pick(edits);
        try {
          edit(random.pick(places) ?? "", random.pick(places) ?? "");
        } catch (error) {
          // An earlier edit may be in the way; a half-completed edit is valid too.
          if (!(error instanceof Error && "syscall" in error)) throw error;
        }
      }
      copy.push(`odd edit ${++count}`, isWithoutHistory);
    },
  };
}

const copyTree = (from: string, to: string) => cpSync(from, to, { recursive: true });
