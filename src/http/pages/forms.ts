/** Forms of server-rendered pages: their fields, their validation, and errors that are shown in the page. */
import { z } from "zod";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { html, type Html } from "./html.ts";

/**
 * A text field, accepted as it is and empty if it is missing: the schema of the API validates it afterwards, so that
 * an error is shown in the page.
 */
export const formText = z.string().max(2000).default("").catch("");

/** A form that works without scripts. */
export const postForm = (action: string, content: Html) =>
  html`<form method="post" action="${action}" enctype="multipart/form-data">${content}</form>`;

const labels: Record<string, string> = {
  email: "E-mail",
  password: "Password",
  name: "Your name",
  username: "User name",
  slug: "Short name",
};

/** Validates fields by the schema of the API. Throws `invalid_request` with the form's own labels. */
export function checkForm<S extends z.ZodType>(schema: S, values: unknown): z.output<S> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const label = labels[String(first?.path[0])] ?? "Organization";
  throw invalidRequest(`${label}: ${first?.message ?? "is not valid"}`);
}

/** Runs the action of a page. A ServiceError is passed to `show`, which renders it; other errors are thrown. */
export async function renderErrors<T>(
  act: () => Promise<T>,
  show: (
    error: string,
    options: { status: number; headers: Record<string, string> },
    cause: ServiceError,
  ) => T | Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const wait = error.details?.["retryAfterSeconds"];
    const headers: Record<string, string> = typeof wait === "number" ? { "retry-after": `${wait}` } : {};
    return show(error.message, { status: error.status, headers }, error);
  }
}
