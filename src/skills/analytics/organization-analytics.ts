/**
 * Downloads and installs of an organization. A caller who bypasses folder restrictions gets the organization's own
 * counts, which include deleted skills; any other caller gets sums over the skills that they may read now, so that no
 * number reveals anything about a restricted folder.
 */
import type { TenantAnalyticsPayload } from "../../../contract/payloads/usage/analytics.ts";
import type { NamedSkill } from "../../../storage/skills/figures.ts";
import type { Day } from "../../../storage/usage/downloads.ts";
import type { Actor } from "../../access/actor.ts";
import { bypassesRestrictions, readableTenants } from "../../access/decide.ts";
import { dayBefore, firstDay, presentDownloads } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { forbidden } from "../../errors.ts";
import { loadFolderView, readableFolders } from "../../folders/load.ts";
import { loadTenant } from "../../orgs/service.ts";

/** Number of skills in one query. */
const slice = 1000;

/** The skills of an organization that a caller may read: all except those directly in a hidden folder. */
export interface Readable {
  tenantId: string;
  hidden: ReadonlySet<string>;
}

type Top = TenantAnalyticsPayload["top"];

export async function readTenantAnalytics(
  app: App,
  actor: Actor,
  ref: string,
  { days, limit }: { days: number; limit: number },
): Promise<TenantAnalyticsPayload> {
  const readable = await loadReadable(app, actor, ref);
  const { tenantId } = readable;
  const bypasses = bypassesRestrictions(actor, tenantId);
  const [figures, { stored, top }, installs] = await Promise.all([
    bypasses ? wholeFigures(app, tenantId) : readableFigures(app, readable),
    bypasses ? wholeDownloads(app, tenantId, days, limit) : readableDownloads(app, readable, days, limit),
    countInstalls(app, readable),
  ]);
  return { ...presentDownloads(app, figures.downloads, stored, days), top, skills: figures.skills, installs };
}

/** The skills of an organization that the actor may read and see analytics of. Throws `not_found` or `forbidden`. */
export async function loadReadable(app: App, actor: Actor, ref: string): Promise<Readable> {
  const { _id: tenantId, slug } = await loadTenant(app, actor, ref, "analytics:read");
  // A role may have one of the permissions without the other.
  if (!readableTenants(actor).includes(tenantId))
    throw forbidden(`Your role in "${slug}" does not allow skill:read, which analytics are about.`);
  const bypasses = bypassesRestrictions(actor, tenantId);
  return { tenantId, hidden: await hiddenFolders(app, actor, tenantId, bypasses) };
}

/** Folders whose skills the actor may not read, according to the current tree. */
async function hiddenFolders(
  app: App,
  actor: Actor,
  tenantId: string,
  bypasses: boolean,
): Promise<Set<string>> {
  if (bypasses) return new Set();
  const view = await loadFolderView(app, actor, tenantId);
  const isReadable = readableFolders(view);
  return new Set([...view.tree.nodes()].filter((node) => !isReadable(node._id)).map((node) => node._id));
}

/** Number of skills, and of all downloads. */
async function wholeFigures(app: App, tenantId: string): Promise<{ skills: number; downloads: number }> {
  const { skillFigures, downloads } = app.storage;
  const [skills, total] = await Promise.all([skillFigures.count(tenantId), downloads.sumOfTenant(tenantId)]);
  return { skills, downloads: total };
}

async function readableFigures(
  app: App,
  { tenantId, hidden }: Readable,
): Promise<{ skills: number; downloads: number }> {
  const figures = { skills: 0, downloads: 0 };
  for (const { folderId, skills, downloads } of await app.storage.skillFigures.sumByFolder(tenantId)) {
    if (folderId !== null && hidden.has(folderId)) continue;
    figures.skills += skills;
    figures.downloads += downloads;
  }
  return figures;
}

async function wholeDownloads(
  app: App,
  tenantId: string,
  days: number,
  limit: number,
): Promise<{ stored: Day[]; top: Top }> {
  const { downloads } = app.storage;
  const readable: Readable = { tenantId, hidden: new Set() };
  const [stored, top] = await Promise.all([
    downloads.listOfTenant(tenantId, firstDay(app, days)),
    topOf(app, readable, dayBefore(app, days - 1), limit),
  ]);
  return { stored, top };
}

async function readableDownloads(
  app: App,
  readable: Readable,
  days: number,
  limit: number,
): Promise<{ stored: Day[]; top: Top }> {
  const { downloads } = app.storage;
  const { tenantId, hidden } = readable;
  const [from, since] = [firstDay(app, days), dayBefore(app, days - 1)];
  if (hidden.size === 0) {
    const [stored, top] = await Promise.all([
      downloads.listOfSkills(tenantId, from, undefined),
      topOf(app, readable, since, limit),
    ]);
    return { stored, top };
  }
  const ids: string[] = [];
  const top: Top = [];
  for await (const found of eachReadable(app, readable, downloads.eachTop(tenantId, from))) {
    ids.push(found.skill._id);
    if (top.length < limit) top.push(presentTop(found));
  }
  const [stored, ownTop] = await Promise.all([
    downloads.listOfSkills(tenantId, from, ids),
    from === since ? top : topOf(app, readable, since, limit),
  ]);
  return { stored, top: ownTop };
}

async function topOf(app: App, readable: Readable, since: string, limit: number): Promise<Top> {
  const top: Top = [];
  const rows = app.storage.downloads.eachTop(readable.tenantId, since);
  for await (const found of eachReadable(app, readable, rows, limit)) {
    top.push(presentTop(found));
    if (top.length === limit) break;
  }
  return top;
}

function presentTop({ skill, row }: { skill: NamedSkill; row: { downloads: number } }): Top[number] {
  const { _id: id, publicId, slug, name } = skill;
  return { skill: { id, publicId, slug, name }, downloads: row.downloads };
}

async function countInstalls(app: App, readable: Readable): Promise<number> {
  const { installs } = app.storage;
  if (readable.hidden.size === 0) return installs.countOfTenant(readable.tenantId);
  let places = 0;
  for await (const { row } of eachReadable(app, readable, installs.eachSkill(readable.tenantId)))
    places += row.places;
  return places;
}

/** Rows about skills that may be read, with their skills, in the rows' order. */
async function* eachReadable<R extends { _id: string }>(
  app: App,
  { tenantId, hidden }: Readable,
  rows: AsyncIterable<R>,
  atOnce = slice,
): AsyncGenerator<{ skill: NamedSkill; row: R }> {
  let waiting: R[] = [];
  const shown = async () => {
    const asked = waiting;
    waiting = [];
    if (asked.length === 0) return [];
    const ids = asked.map((row) => row._id);
    const found = await app.storage.skillFigures.listNamed(tenantId, ids);
    const isHidden = (skill: NamedSkill) => skill.folderId !== null && hidden.has(skill.folderId);
    const byId = new Map(found.filter((skill) => !isHidden(skill)).map((skill) => [skill._id, skill]));
    return asked.flatMap((row) => {
      const skill = byId.get(row._id);
      return skill ? [{ skill, row }] : [];
    });
  };
  for await (const row of rows) {
    if (waiting.push(row) >= atOnce) yield* await shown();
  }
  yield* await shown();
}
