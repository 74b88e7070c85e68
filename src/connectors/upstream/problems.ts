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
  values_missing: "Values that the server requires are missing. Connect again, and enter them.",
  forbidden_address:
    "The server's address leads to a private network, or is not https. Ask an owner or admin of the organization " +
    "to change it.",
  unreachable: "The server can't be reached. Try again later.",
  timed_out: "The server took too long to respond. Try again later.",
  too_large:
    "The server's response is too large. Ask an owner or admin of the organization to check the server.",
  rate_limited: "The server limits the rate of requests (429). Try again later.",
  server_failed: "The server failed. Try again later.",
  not_mcp:
    "The server does not respond as an MCP server. Ask an owner or admin of the organization to check its " +
    "address and transport.",
  organization_off: "The organization has turned hosted connectors off.",
  no_access: "The server was removed, or you no longer have access to it.",
};

/** The problem and its remedy for people. */
export function sentenceOf(problem: ConnectorProblem): string {
  return sentences[problem];
}
