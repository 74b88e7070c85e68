/**
 * Forms of responses that a client takes. The protocol asks clients to name JSON and streams of events. One that names
 * no form, any form or JSON only gets JSON.
 */
import type { RequestInfo } from "../../http/route.ts";

/** Value of `Accept` that the SDK requires. */
export const bothForms = "application/json, text/event-stream";

type Headers = Pick<RequestInfo, "header">;

/** The value of `Accept` as the SDK is to see it. A client that does not take JSON is refused there. */
export const acceptOf = ({ header }: Headers): string => {
  const accept = header("accept");
  const types = typesIn(accept);
  return accept === "" || types.some((type) => jsonTypes.has(type)) ? bothForms : types.join(", ");
};

/** Whether a response may be a stream of events. */
export const takesStream = ({ header }: Headers): boolean =>
  typesIn(header("accept")).includes("text/event-stream");

const jsonTypes = new Set(["*/*", "application/*", "application/json"]);

/** Media types with a quality above 0 (RFC 9110, section 12.5.1). */
function typesIn(accept: string): string[] {
  return accept
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((text) => text.trim()))
    .filter(([, ...parameters]) => !parameters.some((one) => /^q=0(\.0*)?$/.test(one)))
    .map(([type = ""]) => type);
}
