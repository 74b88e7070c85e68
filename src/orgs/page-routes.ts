/** `/invitations/{token}`: where an invitation's mail leads. Looking changes nothing; only the form's buttons do. */
import { z } from "zod";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { html, pageReply, problem, redirectReply, type Html } from "../http/pages.ts";
import { route, type Reply, type Route } from "../http/route.ts";
import {
  acceptInvitation,
  declineInvitation,
  loadInvitation,
  loadOwnInvitation,
  maskAddress,
} from "./join.ts";
import { InvitationTokenParams } from "./schema.ts";

const page = { tag: "Pages", auth: "optional", produces: "text/html" } as const;
const DecisionForm = z.object({ decision: z.string().max(20).default("").catch("") });

export function invitationPageRoutes(app: App): Route[] {
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
    // A bare id proves nothing; only its owner, signed in, is told what it names.
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
    return show(actor, "Declined", { body: html`<p>You will hear nothing more of this invitation.</p>` });
  }
  return show(actor, "Invitation", { status: 400, body: problem("Choose accept or decline.") });
}

const pathOf = (token: string) => `/invitations/${encodeURIComponent(token)}`;

function signInFirst(token: string): Reply {
  return redirectReply(`/sign-in?return_to=${encodeURIComponent(pathOf(token))}`);
}

/** What is wrong with an invitation is said in a page. */
async function orSay(actor: Actor, act: () => Promise<Reply>): Promise<Reply> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return show(actor, "Invitation", { status: error.status, body: problem(error.message) });
  }
}

function show(actor: Actor, title: string, { body, status }: { body: Html; status?: number }): Reply {
  const signedInAs = actor.kind === "user" ? actor.username : undefined;
  return pageReply({ title, signedInAs, body }, status === undefined ? {} : { status });
}
