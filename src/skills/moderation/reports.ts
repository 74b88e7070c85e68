/**
 * Reports about skills that anyone can read. Only the service's administrators read them; the owner team of a skill is
 * shown the reason and the version. The reporter is never disclosed, and the response is the same whether a report was
 * stored or repeats one.
 */
import { limits } from "../../../contract/limits.ts";
import type { ReportPayload } from "../../../contract/payloads/skills/moderation.ts";
import type { SkillReportDoc } from "../../../storage/skills/reports.ts";
import { actorKey, type Actor, type UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { serviceLog } from "../../audit/fan-out.ts";
import { writeEvents } from "../../audit/write-events.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { TimeCursor, decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { type Page } from "../../http/route.ts";
import { noteReport } from "../following/note-changes.ts";
import { loadOpenSkill } from "../load.ts";
import type { CloseReport, ReportSkill, ReportsQuery } from "./schema.ts";

/** Stores a report. A reporter's second one about a version, and those beyond the limit of a skill, change nothing. */
export async function reportSkill(app: App, actor: Actor, ref: string, input: ReportSkill): Promise<void> {
  const skill = await loadOpenSkill(app, actor, ref);
  const { skillReports } = app.storage;
  const { openReports, openReportsPerSkill } = limits;
  if ((await skillReports.countOpen(openReportsPerSkill, skill._id)) >= openReportsPerSkill) return;
  if ((await skillReports.countOpen(openReports)) >= openReports) {
    app.log.error({ openReports }, "no more reports are stored: close some");
    throw new ServiceError("unavailable", "Too many reports are waiting: try again later.");
  }
  const isNew = await skillReports.insert({
    _id: app.newId(),
    skillId: skill._id,
    tenantId: skill.tenantId,
    publicId: skill.publicId,
    tenantSlug: skill.tenantSlug,
    slug: skill.slug,
    name: skill.name,
    version: skill.current.version,
    reason: input.reason,
    text: input.text,
    reporter: app.secrets.anonymize(actorKey(actor)),
    reporterKind: actor.kind === "user" ? "account" : "visitor",
    state: "open",
    createdAt: app.now(),
  });
  if (isNew && skill.ownerTeamId !== undefined)
    app.background("note a report for the owner team", () => noteReport(app, skill, input.reason));
}

/** Reports of one state, the latest first. */
export async function listReports(
  app: App,
  { state, limit, cursor }: ReportsQuery,
): Promise<Page<ReportPayload>> {
  const after = decodeCursor(cursor, TimeCursor);
  const found = await app.storage.skillReports.list(state, after, limit + 1);
  return pageOf(found, limit, (end) => [end.createdAt.getTime(), end._id]).map(presentReport);
}

/** Closes an open report. The audit entry is written first, so that no report is closed without one. */
export async function closeReport(
  app: App,
  administrator: UserActor,
  id: string,
  { state, note }: CloseReport,
): Promise<ReportPayload> {
  const report = await app.storage.skillReports.find(id);
  if (!report) throw notFound("report", id);
  if (report.state === state) return presentReport(report);
  if (report.state !== "open") throw alreadyClosed(report);
  const { publicId, slug, tenantSlug: organization, skillId: resourceId } = report;
  const event = makeEvent(app, administrator, `skill_report.${state}`, {
    ...serviceLog,
    resourceType: "skill",
    resourceId,
    metadata: { report: id, publicId, slug, organization, note },
  });
  await writeEvents(app, [event]);
  const closed = await app.storage.skillReports.close(id, {
    state,
    closedBy: { id: administrator.userId, username: administrator.username },
    closedAt: app.now(),
    note,
  });
  if (!closed) throw alreadyClosed(report);
  return presentReport(closed);
}

function alreadyClosed({ _id, closedBy }: SkillReportDoc): ServiceError {
  const by = closedBy === undefined ? "" : ` by ${closedBy.username}`;
  return new ServiceError("conflict", `This report was already closed${by}.`, { kind: "report", ref: _id });
}

function presentReport(report: SkillReportDoc): ReportPayload {
  const { _id: id, publicId, slug, tenantSlug, name, version, reason, text, state, note } = report;
  return {
    id,
    skill: { publicId, slug, tenantSlug, name },
    version,
    reason,
    text,
    reporter: report.reporterKind,
    state,
    note,
    closedBy: report.closedBy?.username,
    closedAt: report.closedAt?.toISOString(),
    createdAt: report.createdAt.toISOString(),
  };
}
