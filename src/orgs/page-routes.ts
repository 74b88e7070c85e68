/** The page that the link of an invitation's mail leads to. A GET changes nothing. */
import { z } from "zod";
import type { InvitationOfferPayload } from "../../contract/payloads/organizations/organizations.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { problem } from "../http/pages/fields.ts";
import { renderErrors } from "../http/pages/forms.ts";
import { html, type Html } from "../http/pages/html.ts";
import { actorPage, redirectReply } from "../http/pages/pages.ts";
import { routesOf, type Reply, type Route } from "../http/route.ts";
import { remedyOf } from "../users/remedy.ts";
import { acceptInvitation, declineInvitation } from "./invitations/accept.ts";
import { loadInvitation, loadOwnInvitation } from "./invitations/load.ts";
import { presentOffer } from "./invitations/offer.ts";
import { InvitationTokenParams } from "./schema.ts";

const route = routesOf({ tag: "Pages", auth: "optional", produces: "text/html" });
const DecisionForm = z.object({ decision: z.string().max(20).default("").catch("") });

export function invitationPageRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/invitations/:token",
      summary: "An invitation's page",
      params: InvitationTokenParams,
      handle: ({ actor, params }) =>
        orSay(actor, params.token, () => invitationPage(app, actor, params.token)),
    }),
    route({
      method: "post",
      path: "/invitations/:token",
      summary: "Accept or decline an invitation from the form",
      params: InvitationTokenParams,
      body: DecisionForm,
      form: true,
      handle: ({ actor, params: { token }, body: { decision } }) => {
        if (actor.kind !== "user") return Promise.resolve(signInFirst(token));
        return orSay(actor, token, () => decide(app, actor, token, decision));
      },
    }),
  ];
}

async function invitationPage(app: App, actor: Actor, token: string): Promise<Reply> {
  if (actor.kind !== "user") {
    // An id alone proves nothing: only its signed-in owner sees the invitation.
    if (!token.includes(".")) return signInFirst(token);
    const offer = await presentOffer(app, await loadInvitation(app, token), null);
    const back = encodeURIComponent(pathOf(token));
    return show(actor, `Join ${offer.organization.name}`, {
      body: html`<p class="sub">To answer, sign in with the account of ${offer.email}.</p>
        ${factsOf(offer)}
        <p class="actions">
          ${offer.canSignUp && html`<a class="button second" href="/sign-up?return_to=${back}">Create an account</a>`}
          <a class="button" href="/sign-in?return_to=${back}">Sign in</a>
        </p>`,
    });
  }
  const own = await loadOwnInvitation(app, actor, token, "accept an invitation");
  const offer = await presentOffer(app, own, true);
  return show(actor, `Join ${offer.organization.name}`, {
    body: html`<p class="sub">
        This invitation is for you, <bdi>${own.account.username}</bdi>. Members see your name and user name.
      </p>
      ${factsOf(offer)}
      <form method="post" action="${pathOf(token)}" enctype="multipart/form-data">
        <p class="actions">
          <button class="second" name="decision" value="decline">Decline</button>
          <button name="decision" value="accept">Accept</button>
        </p>
      </form>`,
  });
}

function factsOf({ invitedBy, organization, roleName, teams = [], expiresAt }: InvitationOfferPayload): Html {
  return html`<dl class="kv">
    <dt>Invited by</dt>
    <dd><bdi>${invitedBy}</bdi></dd>
    <dt>Organization</dt>
    <dd><bdi>${organization.name}</bdi> <span class="mono">${organization.slug}</span></dd>
    <dt>Role</dt>
    <dd><bdi>${roleName}</bdi></dd>
    ${
      teams.length > 0 &&
      html`<dt>Teams</dt>
        <dd><bdi>${teams.join(", ")}</bdi></dd>`
    }
    <dt>Expires</dt>
    <dd><time datetime="${expiresAt}">${expiresAt.slice(0, 10)}</time></dd>
  </dl>`;
}

async function decide(app: App, actor: Actor, token: string, decision: string): Promise<Reply> {
  if (decision === "accept") {
    const joined = await acceptInvitation(app, actor, token);
    return show(actor, "Welcome", {
      body: html`<p class="sub">
          You are a member of <strong><bdi>${joined.tenantName}</bdi></strong> now.
        </p>
        <p><a class="button" href="/${joined.tenantSlug}/-/library">Open the library</a></p>`,
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
const orSay = (actor: Actor, token: string, act: () => Promise<Reply>) =>
  renderErrors(act, (error, { status }, cause) => {
    const body = html`${problem(error)} ${remedyOf(cause, pathOf(token))}`;
    return show(actor, "Invitation", { status, body });
  });

function show(actor: Actor, title: string, { body, status }: { body: Html; status?: number }): Reply {
  return actorPage(actor, { title, body }, status === undefined ? {} : { status });
}
