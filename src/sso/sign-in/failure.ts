/** Failures of sign-ins: the visitor gets a number, the log of the organization gets the reason. */
import type { SsoSubject } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { countFailure } from "../../auth/count-sign-in.ts";
import { ServiceError } from "../../errors.ts";
import { logSignIn, numberText } from "./log.ts";

/** Why a person can't be signed in, although the response of the provider is valid. */
export class SignInRefused extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Records a failure. Returns the error for the visitor, which is the same for every reason. */
export async function failSignIn(
  app: App,
  provider: Pick<SsoProviderDoc, "_id" | "tenantId">,
  { reason, message }: { reason: string; message: string },
  person?: Pick<SsoSubject, "subject" | "email">,
): Promise<ServiceError> {
  const number = await logSignIn(app, provider, {
    outcome: "failed",
    reason,
    message,
    subject: person?.subject,
    email: person?.email ? person.email : undefined,
  });
  const text = numberText(number);
  const error = new ServiceError(
    "sso_failed",
    `You could not be signed in. Try again; if it does not help, give the number ${text} to an owner of your ` +
      "organization, who finds the reason under it.",
    { number: text },
  );
  countFailure("sso", error);
  return error;
}

/** The failure of a response that belongs to no sign-in of this browser. No organization has a part in it. */
export function unknownAttempt(): ServiceError {
  return new ServiceError(
    "sso_failed",
    "This sign-in has expired, was completed, or was begun in another browser: start it again from the sign-in page.",
  );
}
