/** Problems of connectors for people. */
import type { ConnectorProblem } from "../../../contract/vocabulary.ts";

/** A connection that can't be made, by a problem that is known before anything is sent. */
export class ConnectorError extends Error {
  readonly problem: ConnectorProblem;

  constructor(problem: ConnectorProblem) {
    super(sentenceOf(problem));
    this.name = "ConnectorError";
    this.problem = problem;
  }
}

const sentences: Record<ConnectorProblem, string> = {
  unauthorized: "The server no longer accepts the credentials. Connect again.",
  refused: "The server refused access (403). Check what your account there may do.",
  address_changed: "The server's address has changed since you connected. Check it, and connect again.",
  values_missing: "The server needs values from you. Connect, and enter them.",
  forbidden_address:
    "The server's address leads to a private network, or is not https. An administrator must change it.",
  unreachable: "The server can't be reached right now.",
  timed_out: "The server took too long to answer.",
  too_large: "The server sent more than a response may have.",
  rate_limited: "The server asks for a pause (429). Try again later.",
  server_failed: "The server failed. Try again later.",
  not_mcp: "The server does not answer as an MCP server. Check its address and transport.",
  organization_off: "The organization has turned hosted connectors off.",
  no_access: "You don't have access to this server any more, or it was removed.",
};

/** The problem and its remedy for people. */
export function sentenceOf(problem: ConnectorProblem): string {
  return sentences[problem];
}
