/** HTML of the sign-in and device pages. */
import { limits } from "../../../contract/limits.ts";
import type { FactorKind } from "../../../contract/payloads/accounts/mfa.ts";
import { countText } from "../../../contract/text/count-text.ts";
import { field, hidden, problem } from "../../http/pages/fields.ts";
import { postForm } from "../../http/pages/forms.ts";
import { html, type Html } from "../../http/pages/html.ts";
import type { PendingDevice } from "../device/device-approval.ts";

/** Says the same for known and unknown addresses. */
export function signInPage(view: {
  error?: string;
  email?: string;
  returnTo: string;
  signUpOpen: boolean;
  passkeys: boolean;
  /** False asks for the address first. */
  asksPassword: boolean;
}): Html {
  return html`${
    view.signUpOpen &&
    html`<p class="sub">
      New here? <a href="/sign-up?return_to=${encodeURIComponent(view.returnTo)}">Create an account</a>
    </p>`
  }
  ${problem(view.error)}
  ${postForm(
    "/sign-in",
    html`${hidden("return_to", view.returnTo)}
    ${field({ name: "email", label: "E-mail", type: "email", value: view.email, autocomplete: "username webauthn", isFocused: !view.email })}
    ${
      view.asksPassword
        ? html`${field({
              name: "password",
              label: "Password",
              type: "password",
              autocomplete: "current-password",
              isFocused: Boolean(view.email),
              maxLength: limits.password.max * 2,
              aside: html`<a href="/forgot-password">Forgot it?</a>`,
            })} <button>Sign in</button>`
        : html`<button>Continue</button>`
    }`,
  )}
  ${
    !view.asksPassword &&
    html`<p class="meta">
      <a href="/sign-in?password=1&amp;return_to=${encodeURIComponent(view.returnTo)}"
        >Sign in with a password</a
      >
    </p>`
  }
  ${view.passkeys && passkeyPlace({ returnTo: view.returnTo })}`;
}

/** The button that the script of the page shows, in browsers with passkeys. */
function passkeyPlace(view: { returnTo: string; ticket?: string }): Html {
  return html`<div
    id="passkey"
    data-return-to="${view.returnTo}"
    ${view.ticket !== undefined && html`data-ticket="${view.ticket}"`}
    hidden
  >
    <p class="actions"><button type="button" class="second">Sign in with a passkey</button></p>
    <p class="meta" role="status"></p>
  </div>`;
}

/** The second step of a sign-in. One field takes the code of an app and a recovery code. */
export function factorPage(view: {
  error?: string;
  kinds: readonly FactorKind[];
  ticket: string;
  returnTo: string;
}): Html {
  const { error, kinds, ticket, returnTo } = view;
  const takesTotp = kinds.includes("totp");
  const takesPasskey = kinds.includes("passkey");
  const steps = takesTotp
    ? "Enter the six digits that your authenticator app shows, or one of your recovery codes."
    : "Use your passkey, or enter one of your recovery codes.";
  return html`<p class="sub">Password accepted. ${steps}</p>
    ${problem(error)} ${takesPasskey && passkeyPlace({ returnTo, ticket })}
    ${postForm(
      "/sign-in/verify",
      html`${hidden("ticket", ticket)} ${hidden("return_to", returnTo)} ${hidden("kinds", kinds.join(" "))}
        ${field({
          name: "code",
          label: takesTotp ? "Code" : "Recovery code",
          autocomplete: "one-time-code",
          isFocused: true,
          maxLength: 40,
        })} <button>Continue</button>`,
    )}
    <p class="meta">
      Have you lost the device and the recovery codes? An administrator of this service can remove your second
      factors. <a href="/sign-in?return_to=${encodeURIComponent(returnTo)}">Start again</a>
    </p>`;
}

export function deviceCodePage(view: { error?: string; remedy?: Html }): Html {
  return html`<p class="sub">Enter the code that your terminal shows.</p>
    ${problem(view.error)} ${view.remedy}
    <form method="get" action="/device">
      ${field({ name: "user_code", label: "Code", maxLength: 20, isFocused: true })}
      <button>Continue</button>
    </form>`;
}

const dayMs = 86_400_000;

/** Deny comes first and has the focus, so that Enter grants nothing. */
export function deviceApprovalPage(view: { device: PendingDevice; username: string; now: Date }): Html {
  const { device, username, now } = view;
  const minutes = Math.max(1, Math.ceil((device.expiresAt.getTime() - now.getTime()) / 60_000));
  return html`<p class="sub">Approve only if your terminal shows this code right now.</p>
    <p class="code">${device.userCode}</p>
    <dl class="kv">
      <dt>Program</dt>
      <dd>svc</dd>
      ${
        device.hostname !== undefined &&
        html`<dt>Machine</dt>
          <dd class="mono"><bdi>${device.hostname}</bdi></dd>`
      }
      <dt>Asked from</dt>
      <dd>${device.address ?? "unknown address"}, ${agoText(device.createdAt, now)}</dd>
      <dt>Acts as</dt>
      <dd><bdi>${username}</bdi></dd>
      <dt>Access</dt>
      <dd>a personal token with all your rights</dd>
      <dt>Expires</dt>
      <dd>when you revoke it, or after ${limits.deviceLoginMs / dayMs} days without use</dd>
    </dl>
    <p class="notice warn">
      If someone sent you this page or the code, deny it: they would get full access to your account. The
      machine's name is what the program reports.
    </p>
    ${postForm(
      "/device",
      html`${hidden("user_code", device.userCode)}
        <p class="actions">
          <button class="second" name="decision" value="deny" autofocus>Deny</button>
          <button name="decision" value="approve">Approve</button>
        </p>`,
    )}
    <p class="meta">
      The code expires in ${minutes} ${minutes === 1 ? "minute" : "minutes"}. An approval is listed in
      <a href="/settings/tokens">Settings, Tokens</a>.
    </p>`;
}

function agoText(at: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - at.getTime()) / 60_000);
  if (minutes < 1) return "just now";
  return countText(minutes, "minute ago", "minutes ago");
}

export function deviceDonePage(approved: boolean): Html {
  return approved
    ? html`<p>The client is signed in. You can close this page and continue in your terminal.</p>
        <p class="meta">
          It is listed in <a href="/settings/tokens">Settings, Tokens</a>, where you can revoke it.
        </p>`
    : html`<p>The client was refused and got no access. You can close this page.</p>`;
}
