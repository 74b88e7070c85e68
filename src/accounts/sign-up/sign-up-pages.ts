/** HTML of the sign-up and set-up pages. */
import { limits } from "../../../contract/limits.ts";
import { field, hidden, problem } from "../../http/pages/fields.ts";
import { postForm } from "../../http/pages/forms.ts";
import { html, type Html } from "../../http/pages/html.ts";
import { organizationField } from "../../orgs/organization-page.ts";
import { invitationIn } from "./require-invitation.ts";

export interface SignUpValues {
  email: string;
  name: string;
  username: string;
  organization: string;
}

export function signUpPage(view: {
  action: "/sign-up" | "/setup";
  error?: string;
  values: SignUpValues;
  setupToken?: string;
  /** The service has no account yet. */
  isFirst?: boolean;
  returnTo: string;
}): Html {
  const { values } = view;
  // The person is about to join an organization.
  const isInvited = invitationIn(view.returnTo) !== undefined;
  const back = encodeURIComponent(view.returnTo);
  return html`<p class="sub">
      ${
        view.action === "/setup" || view.isFirst === true
          ? "This service is empty. The account that you create now is its administrator."
          : html`Already have one? <a href="/sign-in?return_to=${back}">Sign in</a>`
      }
    </p>
    ${problem(view.error)}
    ${postForm(
      view.action,
      html`${hidden("return_to", view.returnTo)} ${hidden("setup_token", view.setupToken)}
        ${field({ name: "name", label: "Your name", value: values.name, autocomplete: "name", maxLength: limits.personName, isFocused: true })}
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
        ${!isInvited && organizationField(values.organization, true)} <button>Create account</button>`,
    )}`;
}

/** Where the link is that creates the first account, for someone who finds the sign-up of an empty service. */
export function emptyServicePage(): Html {
  return html`<p class="sub">
      Its first account becomes the administrator, so it is created with a secret link rather than here.
    </p>
    <ol>
      <li>On the server, open the output or log of the service’s last start.</li>
      <li>Find the set-up link, which ends in <code>/setup?token=…</code>, and open it in this browser.</li>
    </ol>
    <p class="meta">
      The link stays the same until the account exists. If the log is gone, restart the service: it prints the
      link again.
    </p>`;
}

export function organizationFailedPage(error: string): Html {
  return html`<p>Your account is ready and you are signed in.</p>
    ${problem(`The organization was not created: ${error}`)}
    <p><a class="button" href="/orgs/new">Try again with another name</a></p>`;
}
