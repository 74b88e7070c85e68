/** What the sign-in pages show. Text only becomes HTML through the kit, which escapes it. */
import { limits } from "../../contract/limits.ts";
import { field, hidden, html, problem, type Html } from "../http/pages.ts";
import type { PendingDevice } from "./device.ts";

export const form = (action: string, content: Html) =>
  html`<form method="post" action="${action}" enctype="multipart/form-data">${content}</form>`;

export function startPage(view: {
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
    <pre>
export SVC_API_URL=${view.baseUrl}
svc login
svc publish ./my-skill
svc install my-skill</pre>
    ${next}
    <p><a href="/docs">Description of the API</a></p>`;
}

export function signInPage(view: {
  error?: string | undefined;
  email?: string;
  returnTo: string;
  signUpOpen: boolean;
}): Html {
  return html`${problem(view.error)}
    ${form(
      "/sign-in",
      html`${hidden("return_to", view.returnTo)}
        ${field({ name: "email", label: "E-mail", type: "email", value: view.email, autocomplete: "username" })}
        ${field({
          name: "password",
          label: "Password",
          type: "password",
          autocomplete: "current-password",
          maxLength: limits.password.max * 2,
        })} <button>Sign in</button>`,
    )}
    <p><a href="/forgot-password">Forgot your password?</a></p>
    ${
      view.signUpOpen &&
      html`<p>
        No account yet? <a href="/sign-up?return_to=${encodeURIComponent(view.returnTo)}">Create one</a>.
      </p>`
    }`;
}

export interface SignUpValues {
  email: string;
  name: string;
  username: string;
  organization: string;
}

export function signUpPage(view: {
  action: "/sign-up" | "/setup";
  error?: string | undefined;
  values: SignUpValues;
  setupToken?: string | undefined;
  returnTo: string;
}): Html {
  const { values } = view;
  return html`${problem(view.error)}
  ${
    view.action === "/setup" &&
    html`<p>This service is empty. The account you create now is its administrator.</p>`
  }
  ${form(
    view.action,
    html`${hidden("return_to", view.returnTo)} ${hidden("setup_token", view.setupToken)}
      ${field({ name: "name", label: "Your name", value: values.name, autocomplete: "name", maxLength: limits.personName })}
      ${field({
        name: "username",
        label: "User name",
        value: values.username,
        autocomplete: "nickname",
        hint: "Lower-case letters, digits and hyphens.",
      })}
      ${field({ name: "email", label: "E-mail", type: "email", value: values.email, autocomplete: "username" })}
      ${field({
        name: "password",
        label: "Password",
        type: "password",
        autocomplete: "new-password",
        minLength: limits.password.min,
        maxLength: limits.password.max,
        hint: `At least ${limits.password.min} characters.`,
      })}
      ${organizationField(values.organization, true)} <button>Create account</button>`,
  )}`;
}

const organizationField = (value: string, optional: boolean) =>
  field({
    name: "organization",
    label: "Organization",
    value,
    optional,
    autocomplete: "organization",
    maxLength: limits.orgName.max,
    hint: "Skills are published under an organization; you become its owner.",
  });

export function newOrganizationPage(view: {
  error?: string | undefined;
  organization: string;
  slug: string;
}): Html {
  return html`${problem(view.error)}
  ${form(
    "/orgs/new",
    html`${organizationField(view.organization, false)}
      ${field({
        name: "slug",
        label: "Short name in addresses",
        value: view.slug,
        optional: true,
        maxLength: limits.orgSlug.max,
        hint: "Lower-case letters, digits and hyphens; made from the name when left empty.",
      })} <button>Create organization</button>`,
  )}`;
}

export function deviceCodePage(view: { error?: string | undefined }): Html {
  return html`${problem(view.error)}
    <p>Enter the code that your terminal shows.</p>
    <form method="get" action="/device">
      ${field({ name: "user_code", label: "Code", maxLength: 20 })}
      <button>Continue</button>
    </form>`;
}

export function deviceApprovalPage(view: { device: PendingDevice; username: string }): Html {
  const { device, username } = view;
  return html`<p>A command-line client asks to act as you. Does your terminal show this very code?</p>
    <p class="code">${device.userCode}</p>
    <dl>
      <dt>Client</dt>
      <dd>svc CLI${device.hostname !== undefined && html` on <bdi>${device.hostname}</bdi>`}</dd>
      <dt>Asked from</dt>
      <dd>${device.address ?? "unknown address"}</dd>
      <dt>Would act as</dt>
      <dd><bdi>${username}</bdi></dd>
    </dl>
    <p class="notice">
      Approve only if you started this yourself just now and the codes are the same. The client's name is what
      it says of itself. Whoever sent you this link or code would get full access to your account.
    </p>
    ${form(
      "/device",
      html`${hidden("user_code", device.userCode)}
        <p class="actions">
          <button name="decision" value="approve">Approve</button>
          <button class="second" name="decision" value="deny">Deny</button>
        </p>`,
    )}`;
}

export function deviceDonePage(approved: boolean): Html {
  return approved
    ? html`<p>The client is signed in. You can close this page and go on in your terminal.</p>`
    : html`<p>The client was refused and got no access. You can close this page.</p>`;
}

export function organizationFailedPage(error: string): Html {
  return html`<p>Your account is ready and you are signed in.</p>
    ${problem(`The organization was not created: ${error}`)}
    <p><a href="/orgs/new">Try again with another name</a></p>`;
}
