/** The indexes themselves, and the files that the older form lists. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { limits } from "../../../contract/limits.ts";
import type { Actor } from "../../access/actor.ts";
import { readRootCollection } from "../../accounts/administration/root-collection.ts";
import type { App } from "../../app.ts";
import { nothingAt } from "../../errors.ts";
import { Reply, type RequestInfo } from "../../http/route.ts";
import { notModified } from "../../http/service/conditional.ts";
import { perApp } from "../../per-app.ts";
import { openVersionFile } from "../../skills/read/content.ts";
import { fileReply } from "../../skills/read/file-reply.ts";
import { countRequest, publicHeaders } from "../public-reply.ts";
import { listPublicSkills, type PublicSkills } from "../public-skills.ts";
import { loadAddressed } from "./direct.ts";
import {
  entriesOf,
  entryOf,
  writeIndex,
  type IndexEntry,
  type IndexForm,
  type IndexKind,
} from "./entries.ts";

const keptBytes = 16 * 1024 * 1024;

interface WrittenIndex {
  text: string;
  etag: string;
}

/** Written indexes by what they contain. Which of them is sent is decided anew for each request. */
const writtenOf = perApp(
  () =>
    new LRUCache<string, WrittenIndex>({
      maxSize: keptBytes,
      sizeCalculation: ({ text }, key) => text.length + key.length,
    }),
);

export async function sendOrganizationIndex(
  app: App,
  actor: Actor,
  request: RequestInfo,
  { form, org }: { form: IndexForm; org: string },
): Promise<Reply> {
  await countRequest(app, actor, "search");
  const found = await listPublicSkills(app, actor.origin, org, { limit: limits.indexedSkills });
  return sendList(app, request, form, found);
}

/** The collection that administrators have chosen, while it is public. */
export async function sendRootIndex(
  app: App,
  actor: Actor,
  request: RequestInfo,
  form: IndexForm,
): Promise<Reply> {
  await countRequest(app, actor, "search");
  return sendList(app, request, form, await listRootSkills(app, actor));
}

async function listRootSkills(app: App, actor: Actor): Promise<PublicSkills | undefined> {
  const chosen = await readRootCollection(app);
  if (!chosen) return undefined;
  const selection = { publicCollectionId: chosen.collection._id, limit: limits.indexedSkills };
  return listPublicSkills(app, actor.origin, chosen.tenant.slug, selection);
}

async function sendList(
  app: App,
  request: RequestInfo,
  form: IndexForm,
  found: PublicSkills | undefined,
): Promise<Reply> {
  if (!found) throw nothingAt(request.path);
  const { entries } = await entriesOf(app, found.skills);
  return indexReply(app, request, { form, org: found.tenant.slug, entries, kind: "list" });
}

/** One skill, or one of its versions. */
export async function sendSkillIndex(
  app: App,
  actor: Actor,
  request: RequestInfo,
  { form, ...address }: { form: IndexForm; org: string; slug: string; version?: string },
): Promise<Reply> {
  await countRequest(app, actor, "search");
  const { skill, version } = await loadAddressed(app, actor, request, address);
  const entry = await entryOf(app, skill, version);
  const kind = address.version === undefined ? "skill" : "version";
  return indexReply(app, request, { form, org: skill.tenantSlug, entries: entry ? [entry] : [], kind });
}

function indexReply(
  app: App,
  request: RequestInfo,
  { form, kind, org, entries }: { form: IndexForm; kind: IndexKind; org: string; entries: IndexEntry[] },
): Reply {
  if (entries.length === 0) throw nothingAt(request.path);
  // All of a version is fixed except for what a deprecation adds to its description.
  const key = JSON.stringify([
    form,
    kind,
    org,
    ...entries.flatMap(({ slug, versionId, description, facts }) => [
      slug,
      versionId,
      description === facts.description ? "" : description,
    ]),
  ]);
  const kept = writtenOf(app);
  let written = kept.get(key);
  if (!written) {
    const text = writeIndex(form, kind, org, entries);
    const etag = createHash("sha256").update(text).digest("hex").slice(0, 32);
    kept.set(key, (written = { text, etag }));
  }
  const headers = publicHeaders(written.etag);
  const unmodified = notModified(request, headers);
  if (unmodified) return unmodified;
  const reply = new Reply(written.text, { type: "application/json", headers });
  reply.repeats = written.etag;
  return reply;
}

/** A file of a skill's current version. The name is that of the skill at the address, if it has one. */
export async function sendIndexedFile(
  app: App,
  actor: Actor,
  request: RequestInfo,
  { org, slug, name, path }: { org?: string; slug?: string; name: string; path: string },
): Promise<Reply> {
  await countRequest(app, actor);
  if (slug !== undefined && slug !== name) throw nothingAt(request.path);
  const at = org ?? (await organizationOfRoot(app, actor, name));
  if (at === undefined) throw nothingAt(request.path);
  const { version } = await loadAddressed(app, actor, request, { org: at, slug: name });
  const file = await openVersionFile(app, version, path);
  return fileReply(request, file, path, publicHeaders(file.oid));
}

/** The organization of a skill in the root index. */
async function organizationOfRoot(app: App, actor: Actor, name: string): Promise<string | undefined> {
  const found = await listRootSkills(app, actor);
  return found?.skills.some(({ slug }) => slug === name) ? found.tenant.slug : undefined;
}
