/** Deliveries of GitHub's webhooks: verified over the body as it came, and only then parsed and handled. */
import { Webhooks, type EmitterWebhookEvent } from "@octokit/webhooks";

/** Whether a header has the form of a signature. */
export const isSignature = (header: string) => /^sha256=[0-9a-f]{64}$/.test(header);

export interface GitHubDelivery {
  id: string;
  /** The `X-GitHub-Event` header. */
  event: string;
  /** The `X-Hub-Signature-256` header: HMAC-SHA-256 of the body's bytes. */
  signature: string;
  /** Media type of the body: JSON, or a form with the JSON in its field `payload`. */
  type: string;
  body: string;
}

/** `unsigned`: none of the secrets signed it; `unreadable`: its body has no JSON object. */
export type GitHubReceipt = "received" | "unsigned" | "unreadable";

export interface GitHubPush {
  repositoryId: string;
  /** With deliveries of an App. */
  installationId: number | undefined;
  /** `refs/heads/main`. */
  ref: string;
  /** The branch's new head; undefined when it was deleted. */
  after: string | undefined;
}

/** Handlers of the events that concern the service. */
export interface GitHubHandlers {
  push(push: GitHubPush): Promise<void>;
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Verifies a delivery by each of the secrets (in constant time), and only then parses it and passes it to its handler.
 * Ignores events without a handler and objects of another form. Throws the errors of the handler.
 */
export async function receiveGitHubDelivery(
  secrets: readonly string[],
  { id, event, signature, type, body }: GitHubDelivery,
  handlers: GitHubHandlers,
): Promise<GitHubReceipt> {
  const webhooks = await signerOf(secrets, body, signature);
  if (!webhooks) return "unsigned";
  const payload = readPayload(type, body);
  if (!payload) return "unreadable";
  if (event !== "push") return "received";
  const failures: unknown[] = [];
  webhooks.on("push", async (pushed) => {
    const push = readPush(pushed.payload);
    // Kept, since the library wraps errors of handlers.
    if (push) await handlers.push(push).catch((error: unknown) => failures.push(error));
  });
  await webhooks.receive({ id, name: "push", payload: payload as PushPayload });
  if (failures.length > 0) throw failures[0];
  return "received";
}

/** Receiver with the secret that signed a body. */
async function signerOf(
  secrets: readonly string[],
  body: string,
  signature: string,
): Promise<Webhooks | undefined> {
  if (!isSignature(signature) || body === "") return undefined;
  for (const secret of secrets) {
    const webhooks = new Webhooks({ secret, log: silent });
    if (await webhooks.verify(body, signature)) return webhooks;
  }
  return undefined;
}

/** The object of a body: the JSON itself, or that in the field of a form, as the host's setting decides. */
function readPayload(type: string, body: string): object | undefined {
  const isForm = type.startsWith("application/x-www-form-urlencoded");
  return readObject(isForm ? (new URLSearchParams(body).get("payload") ?? "") : body);
}

function readObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

type PushPayload = EmitterWebhookEvent<"push">["payload"];

/** The parts of a push that are used. Another kind of server may sign any body, so the types are checked. */
function readPush(payload: PushPayload): GitHubPush | undefined {
  const { repository, installation, ref, after } = payload as Partial<PushPayload>;
  const id: unknown = repository?.id;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || typeof ref !== "string") return undefined;
  const installationId: unknown = installation?.id;
  return {
    repositoryId: String(id),
    installationId: typeof installationId === "number" ? installationId : undefined,
    ref,
    after: typeof after === "string" && /^(?!0{40})[0-9a-f]{40}$/.test(after) ? after : undefined,
  };
}
