/** HTML of the pages that links in mails lead to. */
import { limits } from "../../contract/limits.ts";
import { checkbox, field, hidden, problem } from "../http/pages/fields.ts";
import { postForm } from "../http/pages/forms.ts";
import { html, type Html } from "../http/pages/html.ts";

/** Asks before anything changes: mail programs open links automatically, so following one must not change anything. */
export function confirmEmailPage(view: { token: string; email: string; changed: boolean }): Html {
  return html`<p class="sub">
      ${
        view.changed
          ? html`Use <bdi>${view.email}</bdi> as the address of your account from now on?`
          : html`Is <bdi>${view.email}</bdi> your address?`
      }
    </p>
    ${postForm("/confirm-email", html`${hidden("token", view.token)} <button>Confirm the address</button>`)}
    <p class="meta">If you did not ask for this mail, close the page: nothing changes.</p>`;
}

export function emailConfirmedPage(view: { email: string; changed: boolean }): Html {
  return html`<p>
      ${
        view.changed
          ? html`Your account has the address <bdi>${view.email}</bdi> now: sign in with it.`
          : html`Thank you. <bdi>${view.email}</bdi> is confirmed.`
      }
    </p>
    <p><a class="button" href="/">Continue</a></p>`;
}

export function badLinkPage(error: string, again?: { href: string; label: string }): Html {
  return html`${problem(error)} ${again && html`<p><a href="${again.href}">${again.label}</a></p>`}`;
}

export function forgotPasswordPage(view: { error?: string; email: string }): Html {
  return html`<p class="sub">A mail to the address of your account brings a link for a new one.</p>
    ${problem(view.error)}
    ${postForm(
      "/forgot-password",
      html`${field({ name: "email", label: "E-mail", type: "email", value: view.email, autocomplete: "username", isFocused: true })}
        <button>Send the link</button>`,
    )}
    <p class="meta"><a href="/sign-in">Back to the sign-in</a></p>`;
}

/** Does not depend on whether the address has an account. */
export function linkSentPage(): Html {
  return html`<p>
    If there is an account with this address, a mail with a link is on its way. It works for an hour. Check
    the spam folder as well.
  </p>`;
}

/** `endTokens` is `always` where the reset is the first confirmation of the account's address. */
export function resetPasswordPage(view: {
  error?: string;
  token: string;
  endTokens: boolean | "always";
}): Html {
  const { endTokens } = view;
  return html`${problem(view.error)}
  ${postForm(
    "/reset-password",
    html`${hidden("token", view.token)}
      ${field({
        name: "password",
        label: "New password",
        type: "password",
        autocomplete: "new-password",
        isFocused: true,
        minLength: limits.password.min,
        maxLength: limits.password.max,
        hint: `At least ${limits.password.min} characters. All sessions of your account end.`,
      })}
      ${
        endTokens === "always"
          ? html`<p class="notice">
              This link also confirms your address, for the first time. Therefore, all API tokens and trust
              policies of the account end too.
            </p>`
          : checkbox({
              name: "end_tokens",
              label: "End all API tokens too",
              checked: endTokens,
              hint:
                "Logins of svc and programs that use your tokens stop working. " +
                "Keep it checked unless you only forgot your password.",
            })
      } <button>Set the password</button>`,
  )}`;
}

export function passwordSetPage(): Html {
  return html`<p>Your password was changed and every session was ended. A mail confirms it.</p>
    <p><a class="button" href="/sign-in">Sign in</a></p>`;
}
