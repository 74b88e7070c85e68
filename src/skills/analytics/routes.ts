/** Downloads and installs over HTTP. */
import { SkillAdoptionPayload } from "../../../contract/payloads/usage/adoption.ts";
import {
  InstallSummaryPayload,
  MemberInstallPayload,
  OwnInstallPayload,
  RecordedInstallPayload,
  SkillAnalyticsPayload,
  SkillInstallPayload,
  TenantAnalyticsPayload,
  TenantUsagePayload,
  UninstalledSkillsPayload,
} from "../../../contract/payloads/usage/analytics.ts";
import { TenantContextPayload } from "../../../contract/payloads/usage/context-budget.ts";
import { ReminderPayload } from "../../../contract/payloads/usage/reminder.ts";
import {
  SkillTeamsPayload,
  TeamUsagePayload,
  TenantTeamsPayload,
} from "../../../contract/payloads/usage/team-usage.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { MemberParams, TeamParams, TenantParams } from "../../orgs/schema.ts";
import { SkillParams } from "../schema.ts";
import { readAdoption } from "./adoption.ts";
import { readContextBudget } from "./context-budget.ts";
import { summarizeInstalls } from "./install-summary.ts";
import { forgetInstall, recordInstall } from "./installs.ts";
import { listOwnInstalls, listSkillInstalls } from "./list-installs.ts";
import { listMemberInstalls } from "./member-installs.ts";
import { readTenantAnalytics } from "./organization-analytics.ts";
import { readTenantUsage, readUninstalled } from "./organization-usage.ts";
import { remindOutdated } from "./remind.ts";
import {
  AnalyticsQuery,
  InstallPlace,
  ListInstalls,
  RecordInstall,
  RemindOutdated,
  TenantAnalyticsQuery,
} from "./schema.ts";
import { readSkillTeams, readTeamUsage, readTenantTeams } from "./team-usage.ts";
import { readSkillAnalytics } from "./version-downloads.ts";

const route = routesOf({ tag: "Analytics", auth: "required" });

export function analyticsRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/analytics",
      id: "getSkillAnalytics",
      summary: "Downloads in all, of the last 7 and 30 days, and by day, source and version",
      params: SkillParams,
      query: AnalyticsQuery,
      data: SkillAnalyticsPayload,
      handle: ({ actor, params, query }) => readSkillAnalytics(app, actor, params.skill, query.days),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/analytics",
      id: "getOrgAnalytics",
      summary: "Downloads and installs over an organization's skills that you may read",
      params: TenantParams,
      query: TenantAnalyticsQuery,
      data: TenantAnalyticsPayload,
      budget: "analytics",
      handle: ({ actor, params, query }) => readTenantAnalytics(app, actor, params.tenant, query),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/analytics/usage",
      id: "getUsage",
      summary: "Skills that were not downloaded for 30 days, and outdated installs",
      params: TenantParams,
      data: TenantUsagePayload,
      budget: "analytics",
      handle: ({ actor, params }) => readTenantUsage(app, actor, params.tenant),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/analytics/uninstalled",
      id: "listUninstalled",
      summary: "Skills that no member installed or updated for 90 days",
      params: TenantParams,
      data: UninstalledSkillsPayload,
      budget: "analytics",
      handle: ({ actor, params }) => readUninstalled(app, actor, params.tenant),
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/analytics/adoption",
      id: "getAdoption",
      summary: "Installed versions of a skill by day, and the share of each release",
      params: SkillParams,
      query: AnalyticsQuery,
      data: SkillAdoptionPayload,
      budget: "analytics",
      handle: ({ actor, params, query }) => readAdoption(app, actor, params.skill, query.days),
    }),
    ...usageRoutes(app),
    ...installRoutes(app),
  ];
}

function usageRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/analytics/teams",
      id: "getSkillTeams",
      summary: "Count the installs of a skill by team",
      params: SkillParams,
      data: SkillTeamsPayload,
      budget: "analytics",
      handle: ({ actor, params }) => readSkillTeams(app, actor, params.skill),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/analytics/teams",
      id: "getOrgTeams",
      summary: "Count the installs of skills by team",
      params: TenantParams,
      data: TenantTeamsPayload,
      budget: "analytics",
      handle: ({ actor, params }) => readTenantTeams(app, actor, params.tenant),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/analytics/teams/:id",
      id: "listTeamInstalls",
      summary: "List the skills that the members of a team have installed",
      params: TeamParams,
      data: TeamUsagePayload,
      budget: "analytics",
      handle: ({ actor, params }) => readTeamUsage(app, actor, params),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/analytics/context",
      id: "getContextUse",
      summary: "Estimate the tokens that installed skills take in the context of agents, by tool",
      params: TenantParams,
      data: TenantContextPayload,
      budget: "analytics",
      handle: ({ actor, params }) => readContextBudget(app, actor, params.tenant),
    }),
  ];
}

function installRoutes(app: App): Route[] {
  return [
    route({
      method: "put",
      path: "/api/skills/:skill/installs",
      id: "reportInstall",
      summary: "Report that you have a version installed",
      auth: "optional",
      params: SkillParams,
      body: RecordInstall,
      data: RecordedInstallPayload,
      handle: ({ actor, params, body }) => recordInstall(app, actor, params.skill, body),
    }),
    route({
      method: "delete",
      path: "/api/skills/:skill/installs",
      id: "removeInstall",
      summary: "Report that you don't have it installed any more",
      auth: "optional",
      params: SkillParams,
      query: InstallPlace,
      data: null,
      handle: ({ actor, params, query }) => forgetInstall(app, actor, params.skill, query),
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/installs",
      id: "listSkillInstalls",
      summary: "List which members have a skill installed, and at which version",
      params: SkillParams,
      query: ListInstalls,
      data: SkillInstallPayload,
      page: true,
      handle: ({ actor, params, query }) => listSkillInstalls(app, actor, params.skill, query),
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/installs/summary",
      id: "getInstallSummary",
      summary: "Count the installs of a skill by version, and by what their pins admit",
      params: SkillParams,
      data: InstallSummaryPayload,
      budget: "analytics",
      handle: ({ actor, params }) => summarizeInstalls(app, actor, params.skill),
    }),
    route({
      method: "post",
      path: "/api/skills/:skill/installs/remind",
      id: "remindInstalls",
      summary: "Remind members with an outdated version to update, each at most once in 7 days",
      params: SkillParams,
      body: RemindOutdated,
      data: ReminderPayload,
      budget: "analytics",
      handle: ({ actor, params, body }) => remindOutdated(app, actor, params.skill, body),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/members/:userId/installs",
      id: "listMemberInstalls",
      summary: "List what a member has installed of the skills whose analytics you may read",
      params: MemberParams,
      query: ListInstalls,
      data: MemberInstallPayload,
      page: true,
      budget: "search",
      handle: ({ actor, params, query }) => listMemberInstalls(app, actor, params, query),
    }),
    route({
      method: "get",
      path: "/api/user/installs",
      id: "listOwnInstalls",
      summary: "List what you have installed",
      query: ListInstalls,
      data: OwnInstallPayload,
      page: true,
      handle: ({ actor, query }) => listOwnInstalls(app, actor, query),
    }),
  ];
}
