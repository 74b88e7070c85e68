/** A request of an identity provider: token, limits, dispatch, the error in the form of SCIM, and the log. */
import type { Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { toServiceError, type ErrorTranslator } from "../http/errors.ts";
import type { Reply } from "../http/route.ts";
import { authenticateProvider, UnauthenticatedError } from "./authenticate.ts";
import type { ScimContext } from "./context.ts";
import { dispatch, namesOf, reply, type ScimCall } from "./dispatch.ts";
import { fromServiceError, presentError, ScimError } from "./errors.ts";
import { logRefusedToken, logRequest } from "./log.ts";

export interface ScimRequest extends ScimCall {
  providerId: string;
  origin: Origin;
}

/** Never throws. */
export async function handleScim(
  app: App,
  input: ScimRequest,
  translators: ErrorTranslator[],
): Promise<Reply> {
  const { stream } = input.request;
  let context: ScimContext | undefined;
  try {
    context = await contextOf(app, input);
    const answer = await dispatch(context, input);
    logRequest(context, input, answer.status);
    return answer;
  } catch (thrown) {
    const error = asScimError(app, thrown, input, translators);
    if (context) logRequest(context, input, error.status, error.message);
    else if (error instanceof UnauthenticatedError) await refuseToken(app, input, error);
    return reply(presentError(error), error.status, error.headers);
  } finally {
    // A caller that still sends would miss the response if the connection were closed.
    if (!stream.readableEnded) stream.resume();
  }
}

async function contextOf(app: App, input: ScimRequest): Promise<ScimContext> {
  const { providerId, request, query, origin } = input;
  const { provider, tenant } = await authenticateProvider(app, providerId, request.header("authorization"));
  const context: ScimContext = {
    app,
    tenant,
    providerId: provider._id,
    base: `${app.config.baseUrl}/scim/v2/${provider._id}`,
    ipHash: origin.ipHash,
    ifMatch: request.header("if-match"),
    ifNoneMatch: request.header("if-none-match"),
    projection: { attributes: undefined, excluded: [] },
    logEntry: { ignored: new Set() },
  };
  await app.rateLimits.consume("general", `scim:${provider._id}`);
  context.projection = {
    attributes: namesOf("attributes", query["attributes"]),
    excluded: namesOf("excludedAttributes", query["excludedAttributes"]) ?? [],
  };
  return context;
}

/** Failed attempts count against the budget of the address. */
async function refuseToken(app: App, input: ScimRequest, { provider }: UnauthenticatedError): Promise<void> {
  if (provider) logRefusedToken(app, provider, input);
  await app.rateLimits.consume("general", input.origin).catch(() => undefined);
}

function asScimError(
  app: App,
  thrown: unknown,
  { request }: ScimRequest,
  translators: ErrorTranslator[],
): ScimError {
  if (thrown instanceof ScimError) return thrown;
  return fromServiceError(toServiceError(thrown, request.requestId, { translators, log: app.log }));
}
