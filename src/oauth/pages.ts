/** HTML of the pages on which a person decides about a client. They need no script. */
import { limits } from "../../contract/limits.ts";
import type { OauthAccess } from "../../contract/vocabulary.ts";
import type { Membership, WithheldMembership } from "../access/actor.ts";
import { connectorsPath } from "../auth/access-token.ts";
import { checkbox, hidden, problem } from "../http/pages/fields.ts";
import { postForm } from "../http/pages/forms.ts";
import { html, type Html } from "../http/pages/html.ts";
import { showHidden } from "../http/pages/show-hidden.ts";
import { ownSignInPath } from "../users/remedy.ts";
import type { CheckedRequest } from "./authorization.ts";
import type { Client } from "./clients.ts";
import { targetOf, type RedirectTarget } from "./redirect-uris.ts";

const dayMs = 86_400_000;
export const consentPath = "/oauth/consent";
const fieldPrefix = "organization-";

export interface ConsentView {
  request: CheckedRequest;
  username: string;
  /** Organizations to choose from. */
  organizations: readonly Membership[];
  /** Organizations that can't be chosen before the person has given the proof that they require. */
  withheld: readonly WithheldMembership[];
  chosen: { access: OauthAccess; tenantIds: ReadonlySet<string> };
  error?: string;
}

/** Ids of the organizations that were chosen in the form. */
export function chosenOrganizations(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(fields)
    .filter((name) => name.startsWith(fieldPrefix) && fields[name] === "yes")
    .map((name) => name.slice(fieldPrefix.length));
}

/** Deny comes first and has the focus, so that Enter gives nothing. */
export function consentPage(view: ConsentView): Html {
  const { request, username, error } = view;
  const target = targetOf(request.redirectUri);
  return html`<p class="sub">
      <bdi>${calledName(request.client, target)}</bdi> asks to act for you at this service.
    </p>
    ${problem(error)}
    <dl class="kv">
      <dt>Program</dt>
      <dd>${describeClient(request.client, target)}</dd>
      <dt>Sends you back to</dt>
      <dd class="mono">${target.name}</dd>
      <dt>Acts as</dt>
      <dd><bdi>${username}</bdi></dd>
      <dt>Expires</dt>
      <dd>when you revoke it, or after ${limits.oauthIdleMs / dayMs} days without use</dd>
    </dl>
    ${warningOf(request.client, target)}
    ${postForm(
      consentPath,
      html`${hidden("request", request.id)} ${accessFields(view)} ${organizationFields(view)}
        <p class="actions">
          <button class="second" name="decision" value="deny" autofocus>Deny</button>
          <button name="decision" value="allow">Allow</button>
        </p>`,
    )}
    <p class="meta">
      ${
        isOfConnectors(request)
          ? "It can't read or change skills, members or your account at this service."
          : "It can't delete anything, manage members and their rights, or change your account."
      }
    </p>`;
}

/** The shortest name that is not merely claimed. */
function calledName({ host, name }: Client, target: RedirectTarget): string {
  if (host !== undefined) return host;
  if (target.kind === "web") return target.name;
  return name === "" ? "A program" : `A program that calls itself “${name}”`;
}

function describeClient({ host, name }: Client, target: RedirectTarget): Html {
  const claimed =
    name === "" ? html`without a name` : html`calls itself “<bdi>${name}</bdi>” <small>(unverified)</small>`;
  if (host !== undefined) return html`<bdi>${host}</bdi><br />${claimed}`;
  if (target.kind === "loopback") return html`on this computer, ${claimed}`;
  return claimed;
}

function warningOf({ host }: Client, target: RedirectTarget): Html | undefined {
  const verified = host !== undefined && target.kind === "web";
  if (verified && host === target.name) return undefined;
  const reason =
    target.kind === "web"
      ? html`Anyone can register a program under any name. Your access goes to <b>${target.name}</b>.`
      : html`The access goes to a program on your computer, and any program there can claim a name.`;
  return html`<p class="notice warn">
    ${reason} Allow it only if you have just started this yourself. If someone sent you this link, deny it.
  </p>`;
}

const accessTexts: Record<OauthAccess, { label: string; hint: string }> = {
  read: {
    label: "Read",
    hint: "Find and read the skills that you can read, and the MCP servers that they require.",
  },
  write: {
    label: "Read and write",
    hint: "Also publish, change and move skills, where you may, and make them public.",
  },
};

/** An access to hosted connectors has no part that only reads, since the remote servers decide what a call does. */
const connectorTexts = {
  label: "Use your hosted connectors",
  hint: "Call all tools of the remote servers that you have connected, with what you may do there.",
};
const isConnectors = (resource: string) => resource.endsWith(connectorsPath);
const isOfConnectors = ({ resources }: CheckedRequest) => resources.every(isConnectors);

function textsOf(request: CheckedRequest, access: OauthAccess): { label: string; hint: string } {
  if (isOfConnectors(request)) return connectorTexts;
  const { label, hint } = accessTexts[access];
  if (!request.resources.some(isConnectors)) return { label, hint };
  return {
    label: `${label}, and use your hosted connectors`,
    hint: `${accessTexts.read.hint} ${hint} ${connectorTexts.hint}`,
  };
}

function accessFields({ request, chosen }: ConsentView): Html {
  return html`<fieldset>
    <legend>It may</legend>
    ${request.offered.map((access) => {
      const { label, hint } = textsOf(request, access);
      return html`<p class="check">
        <input
          id="access-${access}"
          name="access"
          type="radio"
          value="${access}"
          aria-describedby="access-${access}-hint"
          ${chosen.access === access && html`checked`}
        />
        <label for="access-${access}">${label}</label>
        <small id="access-${access}-hint">${hint}</small>
      </p>`;
    })}
  </fieldset>`;
}

/** The way back is the page of the request, which waits for half an hour. */
function lackText({ lack, tenantSlug }: WithheldMembership, { id }: CheckedRequest): Html {
  const here = `${consentPath}?request=${id}`;
  if (lack === "factor")
    return html`requires a <a href="/settings/security">second factor</a>, which you don't have`;
  const href =
    lack === "sso" ? `/sso/${tenantSlug}?return_to=${encodeURIComponent(here)}` : ownSignInPath(here);
  return html`requires that you
    <a href="${href}"
      >${lack === "sso" ? "sign in through its identity provider" : "confirm who you are"}</a
    >`;
}

function organizationFields({ request, organizations, withheld, chosen }: ConsentView): Html {
  if (organizations.length + withheld.length === 0)
    return html`<p class="notice">
      You are in no organization, so it can
      ${isOfConnectors(request) ? "use no connector" : "only read public skills"}.
    </p>`;
  return html`<fieldset>
    <legend>In these organizations</legend>
    ${organizations.map(({ tenantId, tenantName, tenantSlug }) =>
      checkbox({
        name: `${fieldPrefix}${tenantId}`,
        label: showHidden(tenantName),
        checked: chosen.tenantIds.has(tenantId),
        hint: tenantName === tenantSlug ? undefined : tenantSlug,
      }),
    )}
    ${withheld.map(
      (membership) =>
        html`<p>
          <bdi>${showHidden(membership.tenantName)}</bdi>
          <small>${lackText(membership, request)}</small>
        </p>`,
    )}
  </fieldset>`;
}

/** The browser continues by itself; the link is for browsers that ask before they open a program. */
export function returnPage(address: string, isAllowed: boolean): Html {
  const { kind, name } = targetOf(address);
  return html`<p>
      ${isAllowed ? "Access granted." : "Access denied."}
      ${kind === "web" ? html`You are being sent back to <b>${name}</b>.` : "You can return to the program."}
    </p>
    <p><a class="button" href="${address}">Continue</a></p>`;
}

/** A request that can't be granted. Nothing leads to the client without a click, since anyone can register one. */
export function faultPage(message: string, returnTo: string | undefined): Html {
  return html`${problem(message)}
    <p>Nothing was given. This is a fault of the program that sent you here, or of its link.</p>
    ${
      returnTo !== undefined &&
      html`<p><a class="button second" href="${returnTo}">Return to ${targetOf(returnTo).name}</a></p>`
    }`;
}
