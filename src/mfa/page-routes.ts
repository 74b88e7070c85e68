/** The second step of the sign-in page, which works without script for codes. */
import { z } from "zod";
import { factorKinds } from "../../contract/payloads/accounts/mfa.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { safeReturnTo } from "../auth/pages/return-to.ts";
import { showFactor } from "../auth/pages/sign-in-pages.ts";
import { badTicket } from "../auth/ticket.ts";
import { ServiceError } from "../errors.ts";
import { problem } from "../http/pages/fields.ts";
import { formText, renderErrors } from "../http/pages/forms.ts";
import { html } from "../http/pages/html.ts";
import { actorPage, redirectReply } from "../http/pages/pages.ts";
import { route, type Reply, type RequestInfo, type Route } from "../http/route.ts";
import { VerifyFactor } from "./schema.ts";
import { completeByFactor } from "./sign-in.ts";

const FactorForm = z.object({ ticket: formText, code: formText, kinds: formText, return_to: formText });

export function mfaPageRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/sign-in/verify",
      summary: "Complete a sign-in by a code, from the form",
      tag: "Pages",
      auth: "optional",
      produces: "text/html",
      body: FactorForm,
      form: true,
      budget: "sign-in",
      handle: ({ actor, body, request }) => verifyForm(app, actor, body, request),
    }),
  ];
}

/** A ticket that is no longer valid leads back to the password; a wrong code can be corrected. */
async function verifyForm(
  app: App,
  actor: Actor,
  { ticket, code, kinds, return_to }: z.output<typeof FactorForm>,
  request: RequestInfo,
): Promise<Reply> {
  const returnTo = safeReturnTo(return_to);
  let isOver = false;
  return renderErrors(
    async () => {
      try {
        const { cookies } = await completeByFactor(app, actor, readProof(ticket, code), request);
        return redirectReply(returnTo, { cookies });
      } catch (error) {
        isOver = error instanceof ServiceError && error.details?.["reason"] === "ticket";
        throw error;
      }
    },
    (error, options) => {
      const shown = factorKinds.filter((kind) => kinds.split(" ").includes(kind));
      if (!isOver) return showFactor(app, actor, { error, ticket, kinds: shown, returnTo }, options);
      const again = `/sign-in?return_to=${encodeURIComponent(returnTo)}`;
      const body = html`${problem(error)}
        <p><a class="button" href="${again}">Sign in again</a></p>`;
      return actorPage(actor, { title: "Sign in again", body }, options);
    },
  );
}

/** Six digits are the code of an app; anything else is taken for a recovery code. */
function readProof(ticket: string, typed: string): VerifyFactor {
  const text = typed.trim();
  const isTotp = /^[\d\s]+$/.test(text);
  const parsed = VerifyFactor.safeParse(isTotp ? { ticket, code: text } : { ticket, recoveryCode: text });
  if (parsed.success) return parsed.data;
  if (ticket === "") throw badTicket();
  throw new ServiceError("invalid_credentials", "Enter a code.", { reason: "factor" });
}
