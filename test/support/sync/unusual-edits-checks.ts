/**
 * Conditions for every commit of the service, whatever was pushed before: each file below `skills/` that it removed is
 * in a version, and no text has become a version of a skill that it was not written for.
 */
import assert from "node:assert/strict";
import { hashObject } from "../../../repos/store/objects.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import { runGit } from "../host/git-host.ts";
import { skillDirectories, type SyncFixture } from "./fixture.ts";
import { originOf } from "./unusual-edits.ts";

const header = /<!-- svc:managed[^\n]*\n\n?/g;
const frontmatter = /^\uFEFF?\s*---[ \t]*\r?\n[^]*?\n---[ \t]*(?:\r?\n)+/;

/** The words of a text: an import preserves them, regardless of frontmatter and surrounding lines. */
function requestText(text: string): string {
  const body = text.replace(header, "");
  const rest = body.replace(frontmatter, "");
  return rest === body ? rest.replaceAll(/\s+/g, " ").trim() : requestText(rest);
}

export interface KeptBlobs {
  oids: Set<string>;
  words: Set<string>;
  /** Commits that were already checked. */
  checked: Set<string>;
}

export const newKeptBlobs = (): KeptBlobs => ({ oids: new Set(), words: new Set(), checked: new Set() });

/** Adds the content of the versions of all skills; called before a skill is deleted. */
export async function keepVersions({ service, org }: SyncFixture, kept: KeptBlobs): Promise<void> {
  const { app } = service;
  const docs = await app.storage.database.collection<SkillDoc>("skills").find({ tenantId: org.id }).toArray();
  for (const { _id: skillId, slug, deletedAt, pending } of docs) {
    if (deletedAt) continue;
    const rows = await app.storage.versions.list(skillId, { prerelease: true, limit: 1000 });
    const origins = new Set<string>();
    for (const { oid } of new Map([...rows, ...pending].map((row) => [row.version, row])).values())
      for await (const file of app.repos.readFiles({ tenantId: org.id, skillId }, oid)) {
        kept.oids.add(hashObject("blob", file.data));
        const text = file.data.toString("utf8");
        kept.words.add(requestText(text));
        const origin = file.path === "SKILL.md" ? originOf(text.replaceAll("\r", "")) : undefined;
        if (origin !== undefined) origins.add(origin);
      }
    assert.ok(origins.size <= 1, `${slug} holds the texts of several skills: ${[...origins].join(", ")}`);
  }
}

/** Checks each commit of the service: removed content is kept, and nothing outside `skills/` was changed. */
export function checkCommits(fixture: SyncFixture, kept: KeptBlobs): void {
  const commits = runGit(fixture.remote, "log", "--author=^svc ", "--format=%H", "main")
    .split("\n")
    .filter(Boolean);
  for (const commit of commits) {
    if (kept.checked.has(commit)) continue;
    kept.checked.add(commit);
    const tree = runGit(fixture.remote, "ls-tree", "-r", commit);
    const rows = runGit(fixture.remote, "diff-tree", "-r", "-z", "--no-commit-id", "--root", commit).split(
      "\0",
    );
    for (let i = 0; i + 1 < rows.length; i += 2) {
      const [, , oid = "", , status = ""] = rows[i]!.replace(/^:/, "").split(" ");
      const place = rows[i + 1]!;
      assert.ok(place.startsWith("skills/"), `${place} was changed by the service`);
      if (status === "A") continue;
      const isOwn = place.endsWith("/.svc.json") || isIndexOf(fixture, place, oid);
      if (isOwn || kept.oids.has(oid) || tree.includes(` ${oid}\t`)) continue;
      const text = runGit(fixture.remote, "cat-file", "blob", oid);
      assert.ok(kept.words.has(requestText(text)), `lost in ${commit}: ${place}\n${text}`);
    }
  }
}

function isIndexOf({ remote }: SyncFixture, place: string, oid: string): boolean {
  return (
    place === "skills/README.md" && runGit(remote, "cat-file", "blob", oid).startsWith("<!-- svc:managed")
  );
}

/** Checks that every directory which is not a skill in sync with the service is reported. */
export async function checkNamed(fixture: SyncFixture): Promise<void> {
  fixture.copy.update();
  const { refusals = [] } = (await fixture.connection())!;
  if (refusals.length >= 100) return;
  const named = refusals.map(({ path }) => path);
  for (const place of skillDirectories(fixture.copy.folder)) {
    const isNamed = named.some(
      (one) => one === place || place.startsWith(`${one}/`) || one.startsWith(`${place}/`),
    );
    if (isNamed) continue;
    assert.ok(
      fixture.copy.has(`${place}/.svc.json`),
      `${place} is neither a skill nor reported: ${named.join(", ")}`,
    );
    const { id } = JSON.parse(fixture.copy.read(`${place}/.svc.json`)) as { id: string };
    const skill = await fixture.service.app.storage.skills.find(id);
    assert.ok(skill && skill.tenantId === fixture.org.id && !skill.deletedAt, `${place} names no skill`);
  }
}
