/** HTML of the sign-in and device pages. */
import { limits } from "../../contract/limits.ts";
import { postForm } from "../http/forms.ts";
import { field, hidden, problem } from "../http/fields.ts";
import { html, type Html } from "../http/html.ts";
import type { PendingDevice } from "./device-approval.ts";

export function signInPage(view: {
  error?: string | undefined;
  email?: string;
  returnTo: string;
  signUpOpen: boolean;
}): Html {
  return html`${problem(view.error)}
    ${postForm(
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
      it reports itself. The person who sent you this link or code would get full access to your account.
    </p>
    ${postForm(
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
