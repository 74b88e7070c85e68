/**
 * Many skills as documents with their search entries, with names and texts of a vocabulary whose words are as uneven as
 * language is.
 */
import { entryOf } from "../../src/skills/search/entry.ts";
import { type Database, newId } from "../../storage/database.ts";
import { searchEntriesCollection } from "../../storage/search/entries.ts";
import type { SkillToIndex } from "../../storage/skills/skills.ts";

const syllables = [
  "ba",
  "co",
  "di",
  "fer",
  "gu",
  "hal",
  "in",
  "jo",
  "kra",
  "lu",
  "men",
  "no",
  "pol",
  "qui",
  "ra",
  "sto",
];

/** 2,000 words, the earlier the more frequent. */
export const words = Array.from({ length: 2000 }, (_, n) => {
  const [a, b, c] = [n % 16, (n >> 4) % 16, (n >> 8) % 16];
  return `${syllables[a]}${syllables[b]}${syllables[c]}`;
});

/** Zipf's law, from a sequence that is the same each time. */
function wordAt(seed: number): string {
  const uniform = ((seed * 2654435761) % 4294967296) / 4294967296;
  return words[Math.min(words.length - 1, Math.floor(words.length ** uniform) - 1)]!;
}

const noOid = "0".repeat(40);

/** The document of a skill without content. Equal numbers have equal texts. */
export function skillRow(tenantId: string, n: number, now: number) {
  const text = (length: number, salt: number) =>
    Array.from({ length }, (__, i) => wordAt(n * 131 + i * 17 + salt)).join(" ");
  const name = `${text(2, 1)} ${n}`;
  const at = new Date(now - n * 1000);
  const current = {
    versionId: newId(),
    version: 1,
    semver: "1.0.0",
    oid: noOid,
    digest: "",
    hash: "",
    format: "markdown",
    fileCount: 1,
    totalBytes: 10,
  } as const;
  const _id = newId();
  return {
    _id,
    tenantId,
    tenantSlug: "many",
    publicId: _id.slice(-10),
    slug: name.replaceAll(" ", "-"),
    name,
    nameKey: name,
    description: text(12, 2),
    type: "skill",
    visibility: n % 2 === 0 ? "public" : "private",
    tags: [wordAt(n * 7), wordAt(n * 11)],
    folderId: null,
    effectiveRestrictionId: null,
    listed: n % 2 === 0,
    excerpt: `skill ${text(120, 3)}`,
    createdBy: "bench",
    author: null,
    createdAt: at,
    updatedAt: at,
    revision: 1,
    head: { version: 1, oid: noOid },
    highestRelease: "1.0.0",
    current,
    downloads: (n * 37) % 1000,
    pending: [],
    outbox: [],
  } as const;
}

export async function seedSkills(
  database: Database,
  tenant: { id: string },
  count: number,
  place: (n: number, id: string) => object = () => ({}),
  first = 0,
): Promise<string[]> {
  const skills = database.collection<{ _id: string }>("skills");
  const entries = searchEntriesCollection.open(database);
  const ids: string[] = [];
  const now = Date.now();
  for (let from = first; from < first + count; from += 1000) {
    const rows = Array.from({ length: Math.min(1000, first + count - from) }, (_, index) => {
      const row = skillRow(tenant.id, from + index, now);
      return { ...row, ...place(from + index, row._id) };
    });
    await skills.insertMany(rows);
    await entries.put(rows.map((row) => entryOf(row as object as SkillToIndex, undefined)));
    ids.push(...rows.map((row) => row._id));
  }
  return ids;
}
