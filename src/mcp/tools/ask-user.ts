/**
 * Asks the user of an agent to open a page, by the elicitation of clients that support it: as an error in the
 * protocol version with `initialize`, and as a required input in the one after it.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  UrlElicitationRequiredError,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ServiceError } from "../../errors.ts";
import type { Call } from "../call.ts";

/**
 * The request to open the page that the error names. Undefined if the error names none, the client can't open pages, or
 * the user was asked before this attempt. Throws for clients that expect an error.
 */
export function askUser(
  error: ServiceError,
  { envelope, inputResponses }: Pick<ServerContext["mcpReq"], "envelope" | "inputResponses">,
  call: Call,
): InputRequiredResult | undefined {
  const url = error.details?.["connectUrl"];
  if (typeof url !== "string") return undefined;
  const { message } = error;
  if (!envelope) {
    if (!call.opensPages) return undefined;
    throw new UrlElicitationRequiredError(
      [{ mode: "url", message, url, elicitationId: call.requestId }],
      message,
    );
  }
  const { elicitation } = capabilitiesIn(envelope);
  if (!elicitation?.url || inputResponses) return undefined;
  return inputRequired({ inputRequests: { connect: inputRequired.elicitUrl({ message, url }) } });
}

function capabilitiesIn(envelope: object): ClientCapabilities {
  return (envelope as Record<string, ClientCapabilities | undefined>)[CLIENT_CAPABILITIES_META_KEY] ?? {};
}
