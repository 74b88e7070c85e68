/** Reports about skills, and takedowns by the service's administrators. */
import { z } from "zod";
import {
  HeldVersionPayload,
  ReportPayload,
  ReportedPayload,
  TakedownPayload,
} from "../../../contract/payloads/skills/moderation.ts";
import type { App } from "../../app.ts";
import { listQuery } from "../../http/request/cursor.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { requireUser } from "../../users/load.ts";
import { loadSkill } from "../load.ts";
import { SkillParams } from "../schema.ts";
import { listHeld } from "./held.ts";
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
      id: "reportSkill",
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
    route({
      method: "get",
      path: "/api/admin/held-versions",
      id: "listHeldVersions",
      summary: "List the malicious versions of public and unlisted skills that wait for an administrator",
      query: z.object(listQuery),
      data: HeldVersionPayload,
      page: true,
      handle: ({ query }) => listHeld(app, query),
    }),
  ];
}

function reportRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/admin/reports",
      id: "listReports",
      summary: "List reports about skills, of one state",
      query: ReportsQuery,
      data: ReportPayload,
      page: true,
      handle: ({ query }) => listReports(app, query),
    }),
    route({
      method: "patch",
      path: "/api/admin/reports/:report",
      id: "closeReport",
      failures: ["conflict"],
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
      id: "listTakedowns",
      summary: "List the skills that are taken down",
      query: z.object(listQuery),
      data: TakedownPayload,
      page: true,
      handle: ({ query }) => listTakedowns(app, query),
    }),
    route({
      method: "post",
      path: "/api/admin/skills/:skill/take-down",
      id: "takeDownSkill",
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
      id: "liftTakedown",
      summary: "End a takedown: the skill's own visibility counts again",
      params: TakedownParams,
      body: TakedownReason,
      data: null,
      handle: ({ actor, params, body }) => liftTakedown(app, requireUser(actor), params.skill, body.reason),
    }),
  ];
}
