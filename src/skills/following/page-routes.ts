/**
 * The page that ends the mails about followed skills, without a sign-in. Mail programs send the POST themselves
 * (RFC 8058), with the token in the address; a GET changes nothing, since some open every link.
 */
import { z } from "zod";
import type { App } from "../../app.ts";
import { problem } from "../../http/pages/fields.ts";
import { formText, postForm, renderErrors } from "../../http/pages/forms.ts";
import { html } from "../../http/pages/html.ts";
import { actorPage } from "../../http/pages/pages.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { setFollowMail } from "./follow.ts";
import { readUnsubscribeLink, unsubscribePath } from "./unsubscribe-link.ts";

const route = routesOf({ tag: "Pages", auth: "optional", produces: "text/html" });

const LinkQuery = z.object({ token: formText });

export function followingPageRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: unsubscribePath,
      summary: "Ask whether to end the mails about followed skills, from the link of one",
      query: LinkQuery,
      handle: ({ actor, query: { token } }) =>
        renderErrors(
          async () => {
            readUnsubscribeLink(app, token);
            const body = html`<p>
                You still see the changes of the skills and folders that you follow on your home page.
              </p>
              ${postForm(`${unsubscribePath}?token=${encodeURIComponent(token)}`, html`<button>Unsubscribe</button>`)}`;
            return actorPage(actor, { title: "Stop these mails?", body });
          },
          (error, options) =>
            actorPage(actor, { title: "Nothing was changed", body: problem(error) }, options),
        ),
    }),
    route({
      method: "post",
      path: unsubscribePath,
      summary: "End the mails about followed skills, also by the one click of a mail program (RFC 8058)",
      query: LinkQuery,
      budget: "sign-in",
      handle: ({ actor, query: { token } }) =>
        renderErrors(
          async () => {
            const userId = readUnsubscribeLink(app, token);
            if (await app.storage.users.find(userId))
              await setFollowMail(app, userId, { mail: "off", reviews: false });
            const body = html`<p>
                You get no more mails about skills and folders that you follow, none about reviews, and no
                reminders to update.
              </p>
              <p><a class="button second" href="/settings/notifications">Settings</a></p>`;
            return actorPage(actor, { title: "Unsubscribed", body });
          },
          (error, options) =>
            actorPage(actor, { title: "Nothing was changed", body: problem(error) }, options),
        ),
    }),
  ];
}
