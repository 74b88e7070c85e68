/** Fields of the sign-in pages: taken as they come, so that what is wrong with them can be said in the page. */
import { z } from "zod";
import { ServiceError, invalidRequest } from "../errors.ts";

const text = z.string().max(2000).default("").catch("");

export const SignInForm = z.object({ email: text, password: text, return_to: text });
export const SignUpForm = z.object({
  email: text,
  password: text,
  name: text,
  username: text,
  organization: text,
  setup_token: text,
  return_to: text,
});
export const OrganizationForm = z.object({ organization: text, slug: text });
export const DeviceForm = z.object({ user_code: text, decision: text });
export const ForgotForm = z.object({ email: text });
export const ResetForm = z.object({ token: text, password: text });
export const SignOutForm = z.object({ confirm: text });

export const ReturnQuery = z.object({ return_to: text });
export const LinkQuery = z.object({ token: text });
export const SetupQuery = z.object({ token: text });
export const DeviceQuery = z.object({ user_code: text });

const labels: Record<string, string> = {
  email: "E-mail",
  password: "Password",
  name: "Your name",
  username: "User name",
  slug: "Short name",
};

/** Checks fields by the schema of the API. Throws `invalid_request` in the words of the form. */
export function checkForm<S extends z.ZodType>(schema: S, values: unknown): z.output<S> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const label = labels[String(first?.path[0])] ?? "Organization";
  throw invalidRequest(`${label}: ${first?.message ?? "is not valid"}`);
}

/** Runs a form's act; a failure that its sender can mend goes to `show`, which puts it into the page. */
export async function orShow<T>(
  act: () => Promise<T>,
  show: (error: string, options: { status: number; headers: Record<string, string> }) => T | Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const wait = error.details?.["retryAfterSeconds"];
    const headers: Record<string, string> = typeof wait === "number" ? { "retry-after": `${wait}` } : {};
    return show(error.message, { status: error.status, headers });
  }
}
