/**
 * Turns what happens in an organization into messages to the receivers of its webhooks. Messages name ids and a page,
 * and a skill only if every member may read it: who reads a receiver's log or a chat is not known here.
 */
import { webhookEvents, type WebhookEvent } from "../../contract/events/webhook-events.ts";
import type { FolderDoc } from "../../storage/folders/folders.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { WebhookMessageData, WebhookMessageDoc } from "../../storage/webhooks/messages.ts";
import type { ListeningWebhook } from "../../storage/webhooks/webhooks.ts";
import type { App } from "../app.ts";
import { deliverSoon } from "./deliver-soon.ts";

/** Something that webhooks report. */
export interface Occurrence {
  /** Letters, digits, `_` and `-`: the id of the message, so that recording it again adds nothing. */
  id: string;
  type: WebhookEvent;
  tenantId: string;
  at: Date;
  actor: EventRow["actor"];
  resourceType: string;
  resourceId: string;
  /** Version of a skill. */
  semver?: string;
  /** Further facts: numbers and codes, no names and no texts of people. */
  facts?: Record<string, string | number>;
}

/** Events whose metadata name a version as `to`; that of a rename is a slug. */
const eventsToVersion: readonly WebhookEvent[] = ["skill.version_reverted", "skill.channel_updated"];

/** The occurrence that an audit event is, if webhooks report it. */
export function occurrenceOf(event: EventRow): Occurrence[] {
  const { _id: id, name, tenantId, createdAt: at, metadata, ...rest } = event;
  const type = webhookEvents.find((one) => one === name);
  if (!type || tenantId === undefined) return [];
  const { actor, resourceType, resourceId } = rest;
  // Elsewhere, the same words of the metadata are roles and paths. A version that was held from the start has no name
  // for those who only read the skill.
  const isNamed = resourceType === "skill" && (metadata["unseen"] !== true || name === "skill.version_held");
  const versions = isNamed ? [metadata["semver"], eventsToVersion.includes(type) && metadata["to"]] : [];
  const semver = versions.find((value) => typeof value === "string");
  return [{ id, type, tenantId, at, actor, resourceType, resourceId, semver }];
}

/** The service, and the sync of a repository, as the actors of an occurrence. */
export const serviceActor = { type: "system", id: null, name: "service" } as const;
export const syncActor = { type: "system", id: null, name: "repository sync" } as const;

/** Adds messages to the queues of the webhooks that report the occurrences. May run twice. */
export async function recordMessages(app: App, occurrences: readonly Occurrence[]): Promise<void> {
  if (occurrences.length === 0) return;
  const tenantIds = new Set(occurrences.map(({ tenantId }) => tenantId));
  const webhooks = await app.storage.webhooks.listListening([...tenantIds]);
  const reported = occurrences
    .map((occurrence) => ({ occurrence, to: webhooks.filter((webhook) => reports(webhook, occurrence)) }))
    .filter(({ to }) => to.length > 0);
  if (reported.length === 0) return;
  const describe = await describer(
    app,
    reported.map(({ occurrence }) => occurrence),
  );
  const rows = reported.flatMap(({ occurrence, to }) => {
    const data = describe(occurrence);
    return data ? to.map(({ _id }) => messageOf(occurrence, _id, data)) : [];
  });
  await app.storage.webhookMessages.record(rows);
  const withMessages = new Set(rows.map(({ webhookId }) => webhookId));
  for (const webhook of webhooks)
    if (withMessages.has(webhook._id))
      app.background("deliver to a webhook", () => deliverSoon(app, webhook));
}

const reports = ({ tenantId, events }: ListeningWebhook, occurrence: Occurrence): boolean =>
  tenantId === occurrence.tenantId && (events === null || events.includes(occurrence.type));

function messageOf(
  { id, type, tenantId, at }: Occurrence,
  webhookId: string,
  data: WebhookMessageData,
): WebhookMessageDoc {
  return {
    _id: `${webhookId}:${id}`,
    webhookId,
    tenantId,
    eventId: id,
    type,
    at,
    data,
    state: "pending",
    nextAttemptAt: at,
    attemptCount: 0,
    attempts: [],
  };
}

/** Pages of an organization that show more about resources, by their types. */
const pages: Readonly<Record<string, string>> = {
  folder: "library",
  invitation: "people/invitations",
  user: "people",
  organization: "people",
  team: "people/teams",
  repository: "sync",
};

/** Reads what occurrences name. The function returns undefined without an organization. */
async function describer(app: App, occurrences: readonly Occurrence[]) {
  const idsOf = (type: string) => {
    const ofType = occurrences.filter(({ resourceType }) => resourceType === type);
    return [...new Set(ofType.map(({ resourceId }) => resourceId))];
  };
  const [tenants, skills] = await Promise.all([
    app.storage.tenants.listByIds([...new Set(occurrences.map(({ tenantId }) => tenantId))]),
    app.storage.skills.listNames(idsOf("skill")),
  ]);
  const tenantOf = new Map(tenants.map((tenant) => [tenant._id, tenant]));
  const skillOf = new Map(skills.map((skill) => [skill._id, skill]));
  const folderIds = [...idsOf("folder"), ...skills.flatMap(({ folderId }) => folderId ?? [])];
  const openPath = await readOpenPaths(app, folderIds);

  function locate({ resourceType, resourceId }: Occurrence, org: string): { name?: string; page: string } {
    const skill = resourceType === "skill" ? skillOf.get(resourceId) : undefined;
    const isReleased = skill && skill.withheld !== "unreleased";
    if (isReleased && (skill.folderId === null || openPath(skill.folderId) !== undefined)) {
      const name = `${org}/${skill.slug}`;
      return { name, page: name };
    }
    const name = resourceType === "folder" ? openPath(resourceId) : undefined;
    const page = `${org}/-/${pages[resourceType] ?? "audit"}`;
    return { name, page: name === undefined ? page : `${page}/${name}` };
  }
  return (occurrence: Occurrence): WebhookMessageData | undefined => {
    const { tenantId: id, resourceType: type, resourceId, actor, semver, facts } = occurrence;
    const slug = tenantOf.get(id)?.slug;
    if (slug === undefined) return undefined;
    const { name, page } = locate(occurrence, slug);
    return {
      organization: { id, slug },
      resource: { type, id: resourceId, name },
      version: semver,
      actor,
      facts,
      url: `${app.config.baseUrl}/${page}`,
    };
  };
}

/**
 * Returns a function with the path of a folder that every member sees; undefined for one in a restriction. Restrictions
 * are read from the folders themselves, since those that skills repeat may be behind.
 */
async function readOpenPaths(app: App, ids: readonly string[]) {
  const folders = new Map<string, Pick<FolderDoc, "parentId" | "restricted" | "slug">>();
  for (let wanted = [...new Set(ids)]; wanted.length > 0;) {
    const found = await app.storage.folders.listByIds(wanted);
    for (const folder of found) folders.set(folder._id, folder);
    const parents = new Set(found.flatMap(({ parentId }) => parentId ?? []));
    wanted = [...parents].filter((id) => !folders.has(id));
  }
  return (id: string): string | undefined => {
    const slugs: string[] = [];
    for (let at: string | null = id; at !== null;) {
      const folder = folders.get(at);
      if (!folder || folder.restricted) return undefined;
      slugs.unshift(folder.slug);
      at = folder.parentId;
    }
    return slugs.join("/");
  };
}
