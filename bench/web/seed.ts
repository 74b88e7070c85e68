/** An organization of 2,000 folders and 10,000 public skills, and two skills whose sizes are at the limits. */
import { newId, type Database } from "../../storage/database.ts";
import type { FolderDoc } from "../../storage/folders/folders.ts";
import type { MembershipDoc } from "../../storage/memberships/memberships.ts";
import type { Client } from "../http/client.ts";
import { seedSkills, words } from "../http/seed.ts";

export interface SeededOrganization {
  id: string;
  slug: string;
  /** Its only file has 500 kB. */
  longText: string;
  /** 5,000 lines differ between its versions 1.0.0 and 2.0.0. */
  changed: string;
}

const folders = 2000;
const foldersPerTop = 20;
const skills = 10_000;

/** @param percent part of its folders and skills */
export async function seedOrganization(
  database: Database,
  owner: Client,
  percent: number,
): Promise<SeededOrganization> {
  const slug = "bench-web";
  const { id } = await owner.send<{ id: string }>("POST", "/api/tenants", { name: "Bench", slug });
  const longText = await publish(owner, slug, "Long text", [sentences(500_000)]);
  const lines = (word: string) =>
    Array.from({ length: 5000 }, (_, n) => `${n} ${words[n % words.length]} ${word}`).join("\n");
  const changed = await publish(owner, slug, "Changed", [lines("before"), lines("after")]);
  await seedFolders(database, id, owner.userId, (folders * percent) / 100);
  await seedSkills(database, { id }, (skills * percent) / 100, () => ({
    tenantSlug: slug,
    visibility: "public",
    listed: true,
  }));
  return { id, slug, longText, changed };
}

async function publish(owner: Client, org: string, name: string, texts: string[]): Promise<string> {
  const [first, ...others] = texts;
  const { skill } = await owner.send<{ skill: { slug: string } }>("POST", "/api/skills", {
    tenantId: org,
    name,
    content: `# ${name}\n\n${first}\n`,
  });
  for (const text of others)
    await owner.send("POST", `/api/skills/${org}~${skill.slug}/versions`, {
      content: `# ${name}\n\n${text}\n`,
      bump: "major",
    });
  return skill.slug;
}

/** Paragraphs of a little Markdown, of about that many bytes. */
function sentences(bytes: number): string {
  const parts: string[] = [];
  for (let n = 0, length = 0; length < bytes; n++) {
    const text = Array.from({ length: 60 }, (_, i) => words[(n * 61 + i * 17) % words.length]).join(" ");
    const part = n % 20 === 0 ? `## ${text.slice(0, 40)}\n` : `${text} \`${words[n % 50]}\` **bold**.\n`;
    parts.push(part);
    length += part.length + 1;
  }
  return parts.join("\n");
}

/** An organization with 2,000 skills, or `percent` of them, in the folder `full`, and a skill whose text has 20 kB. */
export async function seedFullFolder(
  database: Database,
  owner: Client,
  percent: number,
): Promise<{ slug: string; text: string; skills: number }> {
  const slug = "bench-full";
  const { id } = await owner.send<{ id: string }>("POST", "/api/tenants", { name: "Full", slug });
  const { folder } = await owner.send<{ folder: { id: string } }>("POST", `/api/tenants/${slug}/folders`, {
    path: "full",
  });
  const text = await publish(owner, slug, "Text", [sentences(20_000)]);
  const count = 20 * percent;
  await seedSkills(database, { id }, count, () => ({ tenantSlug: slug, folderId: folder.id }));
  return { slug, text, skills: count };
}

/** An organization of 20,000 folders, 100,000 skills and 10,000 members, or of `percent` of them. */
export async function seedLargeOrganization(
  database: Database,
  owner: Client,
  percent: number,
): Promise<string> {
  const slug = "bench-large";
  const { id } = await owner.send<{ id: string }>("POST", "/api/tenants", { name: "Large", slug });
  await seedFolders(database, id, owner.userId, 200 * percent);
  await seedSkills(database, { id }, 1000 * percent, () => ({ tenantSlug: slug }));
  const rows = Array.from({ length: 100 * percent }, (_, n): MembershipDoc => {
    const username = `member-${String(n).padStart(5, "0")}`;
    return {
      _id: newId(),
      tenantId: id,
      tenantSlug: slug,
      tenantName: "Large",
      userId: newId(),
      username,
      nameKeys: [username],
      role: "member",
      teamIds: [],
      revision: 0,
      active: true,
      createdAt: new Date(),
    };
  });
  for (let from = 0; from < rows.length; from += 1000)
    await database.collection<MembershipDoc>("memberships").insertMany(rows.slice(from, from + 1000));
  return slug;
}

async function seedFolders(
  database: Database,
  tenantId: string,
  createdBy: string,
  count: number,
): Promise<void> {
  const now = new Date();
  const common = { restricted: false, grants: [], revision: 1, createdBy, createdAt: now, updatedAt: now };
  const rows: FolderDoc[] = [];
  let parentId: string | null = null;
  for (let n = 0; n < count; n++) {
    const isTop: boolean = n % foldersPerTop === 0;
    const slug = `${isTop ? "top" : "leaf"}-${n}`;
    const _id = newId();
    rows.push({ _id, tenantId, parentId: isTop ? null : parentId, slug, name: slug, ...common });
    if (isTop) parentId = _id;
  }
  for (let from = 0; from < rows.length; from += 1000)
    await database.collection<FolderDoc>("folders").insertMany(rows.slice(from, from + 1000));
  await database
    .collection<{ _id: string; revision: number }>("folder_trees")
    .updateOne({ _id: tenantId }, { $inc: { revision: 1 } }, { upsert: true });
}
