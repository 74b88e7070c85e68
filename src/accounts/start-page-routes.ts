/** The start page of the service. */
import type { App } from "../app.ts";
import { isSignUpOpen } from "../auth/sign-in.ts";
import { installCommand } from "../http/client/install-command.ts";
import { html, type Html } from "../http/html.ts";
import { actorPage } from "../http/pages.ts";
import { route, type Route } from "../http/route.ts";

export function startPageRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/",
      summary: "Start page",
      tag: "Pages",
      auth: "optional",
      produces: "text/html",
      async handle({ actor }) {
        const body = startPage({
          baseUrl: app.config.baseUrl,
          signedIn: actor.kind === "user",
          hasOrganization: actor.kind === "user" && actor.memberships.length > 0,
          signUpOpen: await isSignUpOpen(app),
        });
        return actorPage(actor, { title: "Skill registry", body });
      },
    }),
  ];
}

function startPage(view: {
  baseUrl: string;
  signedIn: boolean;
  hasOrganization: boolean;
  signUpOpen: boolean;
}): Html {
  const next = !view.signedIn
    ? html`<p>
        <a href="/sign-in">Sign in</a>${view.signUpOpen && html` or <a href="/sign-up">create an account</a>`}
        to publish your own.
      </p>`
    : !view.hasOrganization &&
      html`<p class="notice">
        Skills belong to an organization. <a href="/orgs/new">Create your first one</a> to publish.
      </p>`;
  return html`<p>
      This is a registry for agent skills and rules. Publish a skill once; every version is a Git commit, and
      <code>svc</code> installs it into each AI coding tool in that tool's own format.
    </p>
    <h2>From your terminal</h2>
    <p>Install <code>svc</code>, which needs Node 20.19 or later:</p>
    <pre>${installCommand(view.baseUrl)}</pre>
    <p>
      On Windows, use <code>npm install --global ${view.baseUrl}/cli/svc.tgz</code>. To try it without an
      installation, use <code>npx ${view.baseUrl}/cli/svc.tgz</code>. Then:
    </p>
    <pre>
svc login ${view.baseUrl}
svc publish ./my-skill
svc install my-skill</pre>
    ${next}
    <p><a href="/docs">Description of the API</a></p>`;
}
