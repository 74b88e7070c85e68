/** Error responses of the service as error codes of the client. */
import { type CliCode, failures } from "../../contract/errors.ts";
import { CliError, type FailureDetails } from "../errors.ts";

const byStatus: Record<number, CliCode> = {
  401: "E_NOT_AUTHENTICATED",
  403: "E_FORBIDDEN",
  404: "E_NOT_FOUND",
  409: "E_ALREADY_EXISTS",
};

/**
 * The error for a response outside 2xx. Its code follows from the body's code, or, for a response of another program (a
 * proxy's page), from the status. `isAnonymous`: the call had no credentials; the service reports that in terms of the
 * API, and a user needs the command to run.
 */
export function failureOf(
  status: number,
  body: unknown,
  retryAfter: string | undefined,
  options: { isAnonymous?: boolean } = {},
): CliError {
  const known = isRecord(body) && typeof body["error"] === "string" ? body : undefined;
  const failure =
    typeof known?.["code"] === "string" && Object.hasOwn(failures, known["code"])
      ? failures[known["code"] as keyof typeof failures]
      : undefined;
  const code: CliCode = failure?.cli ?? byStatus[status] ?? "E_API";
  const serverMessage = known === undefined ? undefined : (known["error"] as string);
  const reported: FailureDetails = isRecord(known?.["details"]) ? known["details"] : {};
  // The client's contract calls an organization a team.
  const details: FailureDetails = {
    ...reported,
    httpStatus: status,
    serverMessage,
    ...(reported.kind === "organization" ? { kind: "team" as const } : {}),
    ...(typeof known?.["requestId"] === "string" ? { requestId: known["requestId"] } : {}),
  };
  // A message about a skill names it; the general one explains the API.
  const isAboutApi = options.isAnonymous === true && status === 401 && details.kind === undefined;
  const said = isAboutApi ? undefined : serverMessage;
  return new CliError(code, sentence(status, code, said, retryAfter), details);
}

/** The service explains each refusal, so a response without that usually comes from a proxy in front of it. */
function byProxy(status: number): string {
  const proxy = `A proxy in front of the service answered with status ${status}`;
  if (status === 413)
    return `${proxy}: it accepts smaller bodies only. Its operator has to allow 101 MB (nginx: client_max_body_size).`;
  if (status === 502 || status === 503 || status === 504)
    return `${proxy}: it can't reach the service. Try again in a moment.`;
  return `The service, or a proxy in front of it, answered with status ${status} and no explanation.`;
}

function sentence(
  status: number,
  code: CliCode,
  serverMessage: string | undefined,
  retryAfter: string | undefined,
): string {
  if (code === "E_NOT_AUTHENTICATED")
    return `${serverMessage ?? "You are not logged in."} Run svc login, or set SVC_TOKEN.`;
  if (status === 429) {
    const wait = retryAfter !== undefined && /^\d+$/.test(retryAfter) ? ` Try again in ${retryAfter} s.` : "";
    return `${serverMessage ?? "The service asks you to slow down."}${wait}`;
  }
  return serverMessage ?? byProxy(status);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
