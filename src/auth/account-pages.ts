/** What the pages show that links in mails lead to. Text only becomes HTML through the kit, which escapes it. */
import { limits } from "../../contract/limits.ts";
import { field, hidden, html, problem, type Html } from "../http/pages.ts";
import { form } from "./pages.ts";

/** Asks before anything happens: mail programs open links by themselves, and following one must change nothing. */
export function confirmEmailPage(view: { token: string; email: string; changed: boolean }): Html {
  return html`<p>
      ${
        view.changed
          ? html`Use <bdi>${view.email}</bdi> as the address of your account from now on?`
          : html`Is <bdi>${view.email}</bdi> your address?`
      }
    </p>
    ${form("/confirm-email", html`${hidden("token", view.token)} <button>Confirm the address</button>`)}`;
}

export function emailConfirmedPage(view: { email: string; changed: boolean }): Html {
  return html`<p>
      ${
        view.changed
          ? html`Your account has the address <bdi>${view.email}</bdi> now: sign in with it.`
          : html`Thank you. <bdi>${view.email}</bdi> is confirmed.`
      }
    </p>
    <p><a href="/">Go on</a></p>`;
}

export function badLinkPage(error: string, again?: { href: string; label: string }): Html {
  return html`${problem(error)} ${again && html`<p><a href="${again.href}">${again.label}</a></p>`}`;
}

export function forgotPasswordPage(view: { error?: string | undefined; email: string }): Html {
  return html`${problem(view.error)}
    <p>We send a link for a new password to the address of your account.</p>
    ${form(
      "/forgot-password",
      html`${field({ name: "email", label: "E-mail", type: "email", value: view.email, autocomplete: "username" })}
        <button>Send the link</button>`,
    )}`;
}

/** The same for every address. */
export function linkSentPage(): Html {
  return html`<p>
    If there is an account with this address, a mail with a link is on its way. It holds for an hour. Look
    into the folder for spam as well.
  </p>`;
}

export function resetPasswordPage(view: { error?: string | undefined; token: string }): Html {
  return html`${problem(view.error)}
  ${form(
    "/reset-password",
    html`${hidden("token", view.token)}
      ${field({
        name: "password",
        label: "New password",
        type: "password",
        autocomplete: "new-password",
        minLength: limits.password.min,
        maxLength: limits.password.max,
        hint: `At least ${limits.password.min} characters. All your sessions end; API tokens go on working.`,
      })} <button>Set the password</button>`,
  )}`;
}

export function passwordSetPage(): Html {
  return html`<p>Your password was changed and every session was ended.</p>
    <p><a href="/sign-in">Sign in</a></p>`;
}
