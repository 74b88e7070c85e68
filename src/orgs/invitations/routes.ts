import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import {
  InvitationLinkPayload,
  InvitationOfferPayload,
  InvitationOutcomePayload,
  InvitationPayload,
  JoinedPayload,
} from "../../../contract/payloads/organizations/organizations.ts";
import type { InvitationDoc } from "../../../storage/organizations/invitations.ts";
import type { App } from "../../app.ts";
import { Page, routesOf, type Route } from "../../http/route.ts";
import { loadNames } from "../names.ts";
import { presentInvitation, presentJoined } from "../present.ts";
import {
  CreateInvitation,
  CreateInvitations,
  InvitationParams,
  InvitationTokenParams,
  ListQuery,
  TenantParams,
} from "../schema.ts";
import { loadTenant } from "../service.ts";
import { acceptInvitation, declineInvitation } from "./accept.ts";
import { copyLink, linkOf } from "./copy-link.ts";
import { inviteMany, type InviteOutcome } from "./invite-many.ts";
import { invite } from "./invite.ts";
import { listInvitations, readInvitation, revokeInvitation } from "./manage.ts";
import { readOffer } from "./offer.ts";
import { resendInvitation } from "./resend.ts";

const route = routesOf({ tag: "Invitations", auth: "required" });

/** Invitations to one organization, with the names of their roles and teams. */
async function presentAll(app: App, invitations: readonly InvitationDoc[]): Promise<InvitationPayload[]> {
  const names = await loadNames(app, invitations[0]?.tenantId ?? "", invitations);
  return invitations.map((invitation) => presentInvitation(app, invitation, names));
}

const presentOne = async (app: App, invitation: InvitationDoc): Promise<InvitationPayload> =>
  (await presentAll(app, [invitation]))[0]!;

async function presentOutcomes(
  app: App,
  outcomes: readonly InviteOutcome[],
): Promise<InvitationOutcomePayload[]> {
  const invitations = outcomes.flatMap((one) => ("invitation" in one ? [one.invitation] : []));
  const presented = new Map((await presentAll(app, invitations)).map((one) => [one.id, one]));
  return outcomes.map((one) => {
    if ("invitation" in one) {
      const { email, invitation } = one;
      const url = linkOf(app, invitation);
      return { email, outcome: "invited", invitation: presented.get(invitation._id)!, url };
    }
    const { code, message } = one.problem;
    const outcome = code === "already_exists" ? "alreadyMember" : "failed";
    return { email: one.email, outcome, error: { code, message } };
  });
}

export function invitationRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/invitations",
      id: "listInvitations",
      summary: "List the open invitations of an organization, newest first",
      params: TenantParams,
      query: ListQuery,
      data: InvitationPayload,
      page: true,
      async handle({ actor, params, query }) {
        const page = await listInvitations(app, actor, params.tenant, query);
        return new Page(await presentAll(app, page.items), page.nextCursor);
      },
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/invitations",
      id: "createInvitation",
      failures: ["already_exists", "limit_reached"],
      summary: "Invite an address by mail, or renew its invitation",
      params: TenantParams,
      body: CreateInvitation,
      status: 201,
      data: InvitationPayload,
      budget: "invite",
      handle: async ({ actor, params, body }) =>
        presentOne(app, await invite(app, actor, params.tenant, body)),
      authorizeRepeat: ({ actor, params }) => loadTenant(app, actor, params.tenant, "member:invite"),
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/invitations/batch",
      id: "createInvitations",
      failures: ["already_exists", "limit_reached"],
      summary: "Invite many addresses with one offer, and report the outcome of each",
      params: TenantParams,
      body: CreateInvitations,
      data: z
        .array(InvitationOutcomePayload)
        .max(limits.invitationBatchSize)
        .meta({ description: "one for each address of the request" }),
      budget: "invite",
      handle: async ({ actor, params, body }) =>
        presentOutcomes(app, await inviteMany(app, actor, params.tenant, body)),
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/invitations/:id",
      id: "getInvitation",
      summary: "Read an open invitation of an organization",
      params: InvitationParams,
      data: InvitationPayload,
      handle: async ({ actor, params }) =>
        presentOne(app, await readInvitation(app, actor, params.tenant, params.id)),
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/invitations/:id/link",
      id: "getInvitationLink",
      failures: ["already_exists", "limit_reached"],
      summary: "Get the link of an open invitation to hand it over",
      params: InvitationParams,
      data: InvitationLinkPayload,
      budget: "invite",
      handle: async ({ actor, params }) => ({ url: await copyLink(app, actor, params.tenant, params.id) }),
    }),
    route({
      method: "delete",
      path: "/api/tenants/:tenant/invitations/:id",
      id: "deleteInvitation",
      summary: "Take an open invitation back",
      params: InvitationParams,
      data: null,
      handle: ({ actor, params }) => revokeInvitation(app, actor, params.tenant, params.id),
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/invitations/:id/resend",
      id: "resendInvitation",
      failures: ["already_exists", "limit_reached"],
      summary: "Send the mail of an open invitation again and renew its expiry",
      params: InvitationParams,
      data: InvitationPayload,
      budget: "invite",
      handle: async ({ actor, params }) =>
        presentOne(app, await resendInvitation(app, actor, params.tenant, params.id)),
    }),
    route({
      method: "get",
      path: "/api/invitations/:token",
      id: "readInvitation",
      failures: ["forbidden", "refused"],
      summary: "Read an open invitation by the link of its mail, or your own by its id",
      auth: "optional",
      params: InvitationTokenParams,
      data: InvitationOfferPayload,
      budget: "sign-in",
      handle: ({ actor, params }) => readOffer(app, actor, params.token),
    }),
    route({
      method: "post",
      path: "/api/invitations/:token/accept",
      id: "acceptInvitation",
      failures: [
        "sso_required",
        "mfa_required",
        "reauthentication_required",
        "already_exists",
        "conflict",
        "limit_reached",
        "last_owner",
        "refused",
      ],
      summary: "Accept an invitation to the address of your account",
      params: InvitationTokenParams,
      data: JoinedPayload,
      handle: async ({ actor, params }) => presentJoined(await acceptInvitation(app, actor, params.token)),
    }),
    route({
      method: "post",
      path: "/api/invitations/:token/decline",
      id: "declineInvitation",
      failures: ["conflict"],
      summary: "Decline an invitation to the address of your account",
      params: InvitationTokenParams,
      data: null,
      handle: ({ actor, params }) => declineInvitation(app, actor, params.token),
    }),
  ];
}
