/** Reports about skills, and takedowns by the service's administrators. */
import { z } from "zod";
import { ReportPayload, ReportedPayload, TakedownPayload } from "../../../contract/payloads/moderation.ts";
import type { App } from "../../app.ts";
import { listQuery } from "../../http/request/cursor.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { requireUser } from "../../users/load.ts";
import { loadSkill } from "../load.ts";
import { SkillParams } from "../schema.ts";
import { closeReport, listReports, reportSkill } from "./reports.ts";
import {
  CloseReport,
  ReportParams,
  ReportSkill,
  ReportsQuery,
  TakedownParams,
  TakedownReason,
} from "./schema.ts";
import { liftTakedown, listTakedowns, presentTakedown, takeDownSkill } from "./takedown.ts";

const route = routesOf({ tag: "Administration", auth: "administrator" });

export function moderationRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/skills/:skill/reports",
      summary: "Report a public or unlisted skill to the service's administrators",
      tag: "Skills",
      auth: "optional",
      params: SkillParams,
      body: ReportSkill,
      status: 201,
      data: ReportedPayload,
      budget: "report",
      async handle({ actor, params, body }) {
        await reportSkill(app, actor, params.skill, body);
        return { reported: true };
      },
      authorizeRepeat: ({ actor, params }) => loadSkill(app, actor, params.skill, "skill:read"),
    }),
    ...reportRoutes(app),
    ...takedownRoutes(app),
  ];
}

function reportRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/admin/reports",
      summary: "List reports about skills, of one state",
      query: ReportsQuery,
      data: ReportPayload,
      page: true,
      handle: ({ query }) => listReports(app, query),
    }),
    route({
      method: "patch",
      path: "/api/admin/reports/:report",
      summary: "Resolve or dismiss a report",
      params: ReportParams,
      body: CloseReport,
      data: ReportPayload,
      handle: ({ actor, params, body }) => closeReport(app, requireUser(actor), params.report, body),
    }),
  ];
}

function takedownRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/admin/takedowns",
      summary: "List the skills that are taken down",
      query: z.object(listQuery),
      data: TakedownPayload,
      page: true,
      handle: ({ query }) => listTakedowns(app, query),
    }),
    route({
      method: "post",
      path: "/api/admin/skills/:skill/take-down",
      summary: "Keep a public or unlisted skill from everyone but its own members",
      params: TakedownParams,
      body: TakedownReason,
      data: TakedownPayload,
      async handle({ actor, params, body }) {
        const skill = await takeDownSkill(app, requireUser(actor), params.skill, body.reason);
        return presentTakedown(skill);
      },
    }),
    route({
      method: "post",
      path: "/api/admin/skills/:skill/lift-takedown",
      summary: "End a takedown: the skill's own visibility counts again",
      params: TakedownParams,
      body: TakedownReason,
      data: null,
      handle: ({ actor, params, body }) => liftTakedown(app, requireUser(actor), params.skill, body.reason),
    }),
  ];
}
