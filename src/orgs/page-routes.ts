/**
 * The page for a new organization, and the page that the link of an invitation's mail leads to. A GET changes nothing.
 */
import { z } from "zod";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { checkForm, formText, orShow } from "../http/forms.ts";
import { problem } from "../http/fields.ts";
import { html, type Html } from "../http/html.ts";
import { actorPage, redirectReply } from "../http/pages.ts";
import { route, type Reply, type Route } from "../http/route.ts";
import { acceptInvitation, declineInvitation } from "./invitations/accept.ts";
import { loadInvitation, loadOwnInvitation, maskAddress } from "./invitations/load.ts";
import { newOrganizationPage } from "./organization-page.ts";
import { CreateTenant, InvitationTokenParams } from "./schema.ts";
import { createTenant } from "./service.ts";

const page = { tag: "Pages", auth: "optional", produces: "text/html" } as const;
const DecisionForm = z.object({ decision: z.string().max(20).default("").catch("") });
const OrganizationForm = z.object({ organization: formText, slug: formText });

export function organizationPageRoutes(app: App): Route[] {
  return [...newOrganizationRoutes(app), ...invitationRoutes(app)];
}

function newOrganizationRoutes(app: App): Route[] {
  return [
    route({
      ...page,
      method: "get",
      path: "/orgs/new",
      summary: "Form for a new organization",
      async handle({ actor }) {
        if (actor.kind !== "user") return redirectReply("/sign-in?return_to=%2Forgs%2Fnew");
        return actorPage(actor, {
          title: "New organization",
          body: newOrganizationPage({ organization: "", slug: "" }),
        });
      },
    }),
    route({
      ...page,
      method: "post",
      path: "/orgs/new",
      summary: "Create an organization from the form",
      body: OrganizationForm,
      form: true,
      handle: ({ actor, body }) =>
        orShow(
          async () => {
            const { organization, slug } = body;
            const input = checkForm(CreateTenant, { name: organization, slug: slug || undefined });
            await createTenant(app, actor, input);
            return redirectReply("/");
          },
          (error, options) =>
            actorPage(
              actor,
              { title: "New organization", body: newOrganizationPage({ error, ...body }) },
              options,
            ),
        ),
    }),
  ];
}

function invitationRoutes(app: App): Route[] {
  return [
    route({
      ...page,
      method: "get",
      path: "/invitations/:token",
      summary: "An invitation's page",
      params: InvitationTokenParams,
      handle: ({ actor, params }) => orSay(actor, () => invitationPage(app, actor, params.token)),
    }),
    route({
      ...page,
      method: "post",
      path: "/invitations/:token",
      summary: "Accept or decline an invitation from the form",
      params: InvitationTokenParams,
      body: DecisionForm,
      form: true,
      handle: ({ actor, params: { token }, body: { decision } }) => {
        if (actor.kind !== "user") return Promise.resolve(signInFirst(token));
        return orSay(actor, () => decide(app, actor, token, decision));
      },
    }),
  ];
}

async function invitationPage(app: App, actor: Actor, token: string): Promise<Reply> {
  if (actor.kind !== "user") {
    // An id alone proves nothing: only its signed-in owner sees the invitation.
    if (!token.includes(".")) return signInFirst(token);
    const { invitation, tenant } = await loadInvitation(app, token);
    const back = encodeURIComponent(pathOf(token));
    return show(actor, `Join ${tenant.name}`, {
      body: html`<p>
          <bdi>${invitation.invitedBy.name}</bdi> invites ${maskAddress(invitation.email)} to
          <strong><bdi>${tenant.name}</bdi></strong
          >.
        </p>
        <p>
          <a href="/sign-in?return_to=${back}">Sign in</a> with the account of that address to answer, or
          <a href="/sign-up?return_to=${back}">create one</a>.
        </p>`,
    });
  }
  const { invitation, tenant, account } = await loadOwnInvitation(app, actor, token, "accept an invitation");
  return show(actor, `Join ${tenant.name}`, {
    body: html`<p>
        <bdi>${invitation.invitedBy.name}</bdi> invites you, <bdi>${account.username}</bdi>, to
        <strong><bdi>${tenant.name}</bdi></strong> (${tenant.slug}).
      </p>
      <form method="post" action="${pathOf(token)}" enctype="multipart/form-data">
        <button name="decision" value="accept">Accept</button>
        <button class="plain" name="decision" value="decline">Decline</button>
      </form>`,
  });
}

async function decide(app: App, actor: Actor, token: string, decision: string): Promise<Reply> {
  if (decision === "accept") {
    const joined = await acceptInvitation(app, actor, token);
    return show(actor, "Welcome", {
      body: html`<p>
          You are in <strong><bdi>${joined.tenantName}</bdi></strong> now.
        </p>
        <p><a href="/">Go on</a></p>`,
    });
  }
  if (decision === "decline") {
    await declineInvitation(app, actor, token);
    return show(actor, "Declined", {
      body: html`<p>You will get no further mails about this invitation.</p>`,
    });
  }
  return show(actor, "Invitation", { status: 400, body: problem("Choose accept or decline.") });
}

const pathOf = (token: string) => `/invitations/${encodeURIComponent(token)}`;

function signInFirst(token: string): Reply {
  return redirectReply(`/sign-in?return_to=${encodeURIComponent(pathOf(token))}`);
}

/** Shows an error of an invitation in its page. */
const orSay = (actor: Actor, act: () => Promise<Reply>) =>
  orShow(act, (error, { status }) => show(actor, "Invitation", { status, body: problem(error) }));

function show(actor: Actor, title: string, { body, status }: { body: Html; status?: number }): Reply {
  return actorPage(actor, { title, body }, status === undefined ? {} : { status });
}
