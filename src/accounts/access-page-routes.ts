/** The page that the links in mails about new accesses lead to. A GET changes nothing. */
import { z } from "zod";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { hidden } from "../http/pages/fields.ts";
import { formText, renderErrors, postForm } from "../http/pages/forms.ts";
import { html, type Html } from "../http/pages/html.ts";
import { actorPage, type PageOptions } from "../http/pages/pages.ts";
import { routesOf, type Route } from "../http/route.ts";
import { endAccess, endLabels, readAccess, type AccessView } from "./mails/access-mails.ts";
import { badLinkPage } from "./pages.ts";

const route = routesOf({ tag: "Pages", auth: "optional", produces: "text/html" });
const path = "/end-access";

const LinkQuery = z.object({ token: formText });

const failed = (actor: Actor, error: string, options: PageOptions) =>
  actorPage(actor, { title: "Nothing was ended", body: badLinkPage(error) }, options);

export function accessPageRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path,
      summary: "Ask whether to end a session or token, from the link of a mail",
      query: LinkQuery,
      handle: ({ actor, query: { token } }) =>
        renderErrors(
          async () => {
            const view = await readAccess(app, token);
            return actorPage(actor, { title: askTitles[view.kind], body: askPage(view, token) });
          },
          (error, options) => failed(actor, error, options),
        ),
    }),
    route({
      method: "post",
      path,
      summary: "End a session or token from the form",
      body: LinkQuery,
      form: true,
      handle: ({ actor, body: { token } }) =>
        renderErrors(
          async () => {
            await app.rateLimits.consume("sign-in", actor.origin);
            const view = await endAccess(app, actor.origin, token);
            return actorPage(actor, {
              title: doneTitles[view.kind],
              body: donePage(),
            });
          },
          (error, options) => failed(actor, error, options),
        ),
    }),
  ];
}

const askTitles: Record<AccessView["kind"], string> = {
  session: "End this session?",
  token: "Revoke this token?",
  grant: "Revoke this access?",
};
const doneTitles: Record<AccessView["kind"], string> = {
  session: "Session ended",
  token: "Token revoked",
  grant: "Access revoked",
};

function askPage({ description, kind }: AccessView, token: string): Html {
  return html`<p><bdi>${description}</bdi></p>
    ${postForm(path, html`${hidden("token", token)} <button class="danger">${endLabels[kind]}</button>`)}`;
}

function donePage(): Html {
  return html`<p>
      It can't be used any more. If you did not create it, another person may know your password.
    </p>
    <p><a class="button second" href="/forgot-password">Choose a new password</a></p>`;
}
