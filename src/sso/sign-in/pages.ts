/** Pages of sign-ins through providers. */
import type { SsoTestPayload } from "../../../contract/payloads/accounts/sso.ts";
import type { Actor } from "../../access/actor.ts";
import { hidden, problem } from "../../http/pages/fields.ts";
import { postForm } from "../../http/pages/forms.ts";
import { html, type Html } from "../../http/pages/html.ts";
import { actorPage, type PageOptions } from "../../http/pages/pages.ts";
import type { Reply } from "../../http/route.ts";
import { ownSignInPath } from "../../users/remedy.ts";
import type { LinkOffer } from "./link.ts";

/** The same page for every reason of a failure. */
export function failedPage(actor: Actor, error: string, options?: PageOptions): Reply {
  const body = html`${problem(error)}
    <p><a class="button" href="/sign-in">Start again</a></p>
    <p class="meta"><a href="${ownSignInPath("/")}">Sign in with a password</a></p>`;
  return actorPage(actor, { title: "The sign-in failed", body }, options);
}

/** The choice between several providers of an organization. */
export function choicePage(
  actor: Actor,
  view: { organization: string; providers: { id: string; name: string }[]; returnTo: string },
): Reply {
  const { organization, providers, returnTo } = view;
  const start = (id: string) => `/sso/${id}/start?return_to=${encodeURIComponent(returnTo)}`;
  const body = html`<p class="sub">
      Choose the identity provider by which you sign in to <bdi>${organization}</bdi>.
    </p>
    <div class="choices">
      ${providers.map(
        ({ id, name }) => html`<a class="button second" href="${start(id)}"><bdi>${name}</bdi></a>`,
      )}
    </div>
    <p class="meta"><a href="${ownSignInPath(returnTo)}">Sign in with a password</a></p>`;
  return actorPage(actor, { title: "Single sign-on", body });
}

/** The question whether an existing account belongs to the person at the provider. */
export function linkPage(actor: Actor, offer: LinkOffer, state: string): Reply {
  const { provider, tenant, email, account } = offer;
  const path = `/sso/${provider._id}/link`;
  const back = `${path}?state=${state}`;
  const body = account
    ? html`<p>
          <bdi>${provider.name}</bdi> of <bdi>${tenant.name}</bdi> will sign you in to your account
          <bdi>${account.username}</bdi> from now on. Its owners decide who can sign in through this provider.
        </p>
        ${postForm(path, html`${hidden("state", state)}<button>Link the account and continue</button>`)}
        <p class="meta"><a href="/">Cancel</a></p>`
    : html`<p>
          There is an account with your address <bdi>${email}</bdi> already. Sign in to it once with its own
          password or passkey, to confirm that it is yours; if it has no password,
          <a href="/forgot-password">choose one by mail</a> first. From then on, <bdi>${provider.name}</bdi>
          signs you in.
        </p>
        ${
          actor.kind === "user" && actor.userId !== offer.attempt.linkUserId
            ? html`<p class="notice warn">
                You are signed in to another account, <bdi>${actor.username}</bdi>: sign out first, then start
                again.
              </p>`
            : html`<p><a class="button" href="${ownSignInPath(back)}">Sign in to the account</a></p>`
        }`;
  return actorPage(actor, { title: "Is this your account?", body });
}

const marks = {
  passed: html`<span class="good">Passed</span>`,
  failed: html`<span class="bad">Failed</span>`,
  skipped: html`<span class="meta">Not checked</span>`,
} as const;

/** The verdict of a test sign-in. */
export function testPage(actor: Actor, test: SsoTestPayload, settingsPath: string): Reply {
  const isPassed = test.state === "passed";
  const outcome = test.outcome ?? "";
  const unknown = { overage: "too many to be sent or read", unread: "not known" } as const;
  const groups = test.groupsProblem
    ? unknown[test.groupsProblem]
    : test.groups === null
      ? "not sent"
      : test.groups.join(", ") || "none";
  const body = html`${isPassed ? html`<p class="notice">${outcome}</p>` : problem(outcome)}
    <p>Nothing was changed, and no one was signed in.</p>
    ${
      isPassed &&
      html`<dl class="kv">
        ${row("Subject", test.subject)} ${row("E-mail", test.email)} ${row("Name", test.name)}
        ${row("Groups", groups)}
      </dl>`
    }
    <p><a class="button" href="${settingsPath}">Back to single sign-on</a></p>
    <h2>Checks</h2>
    <dl class="verdicts">
      ${test.checks.map(
        ({ title, result, message }) =>
          html`<dt>${marks[result]}</dt>
            <dd>${title}${message !== undefined && html`<small class="block">${message}</small>`}</dd>`,
      )}
    </dl>`;
  const title = isPassed ? "The test sign-in passed" : "The test sign-in failed";
  return actorPage(actor, { title, body });
}

const row = (name: string, value: string | null): Html | false =>
  value !== null &&
  html`<dt>${name}</dt>
    <dd><bdi>${value}</bdi></dd>`;
