/** Errors and responses of the endpoints that follow OAuth's standards rather than the envelope of the API. */
import { Reply } from "../http/route.ts";

/** An error of RFC 6749, section 5.2, RFC 7591, section 3.2.2, RFC 8628, section 3.5, or RFC 8707, section 2. */
export class OAuthError extends Error {
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.name = "OAuthError";
    this.code = code;
  }
}

/** Bodies and failures as the standards have them (RFC 6749, sections 5.1 and 5.2), never stored on the way. */
export async function standardAnswer(call: () => Promise<object>, status = 200): Promise<Reply> {
  const headers = { "cache-control": "no-store", pragma: "no-cache" };
  try {
    return new Reply(await call(), { status, headers });
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return new Reply({ error: error.code, error_description: error.message }, { status: 400, headers });
  }
}
