/**
 * The state of both sides, by content only, and a ledger of all changes: the check compares the two. Nothing here uses
 * the sync.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { skillDirectories } from "./fixture.ts";
import type { Scenario } from "./scenario.ts";

export interface PlainFile {
  path: string;
  mode: string;
  data: Buffer;
}

const header = /<!-- svc:managed[^\n]*\n\n?/g;
const frontmatter = /^---\n[^]*?\n---\n\n?/;

/** The content of a skill that both sides share: a text without frontmatter and header, a package file by file. */
export function keyOf(files: readonly PlainFile[]): string {
  const own = files.filter((file) => file.path !== ".svc.json");
  const [only] = own;
  if (only && own.length === 1)
    return `text ${only.data.toString("utf8").replace(frontmatter, "").replace(header, "")}`;
  return own
    .map(({ path: name, mode, data }) => {
      const isRoot = name === "SKILL.md" || name === "RULE.md";
      const bytes = isRoot ? Buffer.from(data.toString("utf8").replace(header, "")) : data;
      return `${mode} ${name} ${createHash("sha1").update(bytes).digest("hex")}`;
    })
    .toSorted()
    .join("\n");
}

/** A text, in the form of the API. */
export const textKey = (text: string) =>
  keyOf([{ path: "SKILL.md", mode: "100644", data: Buffer.from(text) }]);

export interface SeenDirectory {
  path: string;
  key: string;
  /** The skill that its `.svc.json` names. */
  claims: string | undefined;
  /** No version can be created from it. */
  isBroken: boolean;
}

export const brokenMark = "name: [";

/** The skill directories of a working copy, by path. */
export function readDirectories(folder: string): Map<string, SeenDirectory> {
  return new Map(
    skillDirectories(folder).map((place) => {
      const at = path.join(folder, place);
      const files = readdirSync(at, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry): PlainFile => {
          const file = path.join(entry.parentPath, entry.name);
          const mode = (statSync(file).mode & 0o100) === 0 ? "100644" : "100755";
          return { path: path.relative(at, file), mode, data: readFileSync(file) };
        });
      const svc = files.find((file) => file.path === ".svc.json");
      const claims = svc && (JSON.parse(svc.data.toString()) as { id: string }).id;
      const root = files.find(({ path: name }) => name === "SKILL.md" || name === "RULE.md")!;
      const text = root.data.toString();
      // With other files next to it, it is a package, whose name is required.
      const isNameless = files.length > (svc ? 2 : 1) && !text.startsWith("---\n");
      const isBroken = text.includes(brokenMark) || isNameless;
      return [place, { path: place, key: keyOf(files), claims, isBroken }];
    }),
  );
}

/** Every file of the branch that belongs to no skill and is not the list of skills, by path. */
export function readOutside(fixture: Scenario, directories: Iterable<string>): string[] {
  const below = [...directories].map((place) => `${place}/`);
  return fixture.copy
    .git("-c", "core.quotePath=false", "ls-tree", "-r", "HEAD")
    .split("\n")
    .filter((line) => {
      const name = line.slice(line.indexOf("\t") + 1);
      return name !== "skills/README.md" && !below.some((place) => name.startsWith(place));
    });
}

export interface SeenVersion {
  row: VersionDoc;
  key: string;
}

export interface SeenSkill {
  doc: SkillDoc;
  versions: SeenVersion[];
  current: string;
}

const keys = new Map<string, string>();

/** Every skill that an organization has or had, with the content of all its versions. */
export async function readPlatform({ service, org }: Scenario): Promise<Map<string, SeenSkill>> {
  const { app } = service;
  const docs = await app.storage.database.collection<SkillDoc>("skills").find({ tenantId: org.id }).toArray();
  const seen = new Map<string, SeenSkill>();
  for (const doc of docs) {
    const repo = { tenantId: org.id, skillId: doc._id };
    const rows = await app.storage.versions.list(doc._id, { prerelease: true, limit: 1000 });
    const all = new Map([...rows, ...doc.pending].map((row) => [row.version, row]));
    const versions: SeenVersion[] = [];
    for (const row of [...all.values()].toSorted((a, b) => a.version - b.version)) {
      let key = keys.get(row.oid);
      if (key === undefined) {
        const files: PlainFile[] = [];
        for await (const { path: name, mode, data } of app.repos.readFiles(repo, row.oid))
          files.push({ path: name, mode, data });
        keys.set(row.oid, (key = keyOf(files)));
      }
      versions.push({ row, key });
    }
    const current = versions.find(({ row }) => row.version === doc.current.version)!.key;
    seen.set(doc._id, { doc, versions, current });
  }
  return seen;
}

/** A directory as the remote actor last pushed it, until the service has imported it. */
export interface Expected {
  path: string;
  key: string;
  /** The skill of which it must become a version; undefined if any skill is correct. */
  owner: string | undefined;
  /** Its content before the change; several if there were several pushes. */
  basedOn: Set<string>;
  at: number;
}

export interface PushedCommit {
  oid: string;
  subject: string;
}

/** All changes on both sides. */
export interface Ledger {
  /** Counts changes, so that their order is known. */
  clock: number;
  /** Skills created in the service, with their required visibility. */
  visibility: Map<string, string>;
  deleted: Map<string, number>;
  /** Versions made current in the service: by a publish, or by a revert. */
  acts: Map<string, { at: number; key: string; version?: number }[]>;
  expected: Map<string, Expected>;
  /** Each skill's directory at the last check, and its content if that could be read. */
  places: Map<string, string>;
  agreed: Map<string, string>;
  /** Directories that can't be imported, as the remote actor left them. */
  broken: Map<string, string>;
  /** How often the remote actor gave a directory a content. */
  timesPushed: Map<string, number>;
  pushed: PushedCommit[];
  /** Files of the last push that the sync must not change. */
  outside: string[];
  /** The remote actor has restored an older state of the branch, so that our own commits count as edits. */
  hasRewound: boolean;
  /** The mirror has been fetched, and later commits are fetched on top. */
  hasHistory: boolean;
  /** The sync state was lost since the last check. */
  hasLostState: boolean;
}

export function newLedger(): Ledger {
  return {
    clock: 0,
    visibility: new Map(),
    deleted: new Map(),
    acts: new Map(),
    expected: new Map(),
    places: new Map(),
    agreed: new Map(),
    broken: new Map(),
    timesPushed: new Map(),
    pushed: [],
    outside: [],
    hasRewound: false,
    hasHistory: false,
    hasLostState: false,
  };
}

export function noteAct(ledger: Ledger, skillId: string, key: string, version?: number): void {
  const act = { at: ++ledger.clock, key, version };
  ledger.acts.set(skillId, [...(ledger.acts.get(skillId) ?? []), act]);
}
