/** Deliveries of GitHub's webhooks: the signature over a body while it arrives, and the parts of it that are used. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether a header has the form of a signature. */
export const isSignature = (header: string) => /^sha256=[0-9a-f]{64}$/.test(header);

export interface SignatureCheck {
  /** Takes the next bytes of the body. */
  update(bytes: Uint8Array): void;
  /** Whether one of the secrets signed the body (HMAC-SHA-256). Called once. Takes the same time for each secret. */
  matches(signature: string): boolean;
}

export function checkSignature(secrets: readonly string[]): SignatureCheck {
  const hmacs = secrets.map((secret) => createHmac("sha256", secret));
  return {
    update(bytes) {
      for (const hmac of hmacs) hmac.update(bytes);
    },
    matches(signature) {
      if (!isSignature(signature)) return false;
      const sent = Buffer.from(signature.slice("sha256=".length), "hex");
      return hmacs.map((hmac) => timingSafeEqual(hmac.digest(), sent)).includes(true);
    },
  };
}

export interface GitHubDelivery {
  /** Media type of the body: JSON, or a form with the JSON in its field `payload`, as the host's setting decides. */
  type: string;
  body: Uint8Array;
}

export interface GitHubPush {
  repositoryId: string;
  /** With deliveries of an App. */
  installationId: number | undefined;
  /** `refs/heads/main`. */
  ref: string;
  /** The branch's new head; undefined when it was deleted. */
  after: string | undefined;
}

/** `isReadable`: whether the body has a JSON object. `push`: absent if that does not have the form of a push. */
export interface GitHubPayload {
  isReadable: boolean;
  push?: GitHubPush | undefined;
}

/** Reads the body of a delivery whose signature was verified. */
export function readPayload({ type, body }: GitHubDelivery): GitHubPayload {
  const text = new TextDecoder().decode(body);
  const isForm = type.startsWith("application/x-www-form-urlencoded");
  const payload = readObject(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
  return payload ? { isReadable: true, push: readPush(payload) } : { isReadable: false };
}

function readObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

interface PushPayload {
  repository?: { id?: unknown } | null;
  installation?: { id?: unknown } | null;
  ref?: unknown;
  after?: unknown;
}

/** The parts of a push that are used. Another kind of server may sign any body, so the types are checked. */
function readPush({ repository, installation, ref, after }: PushPayload): GitHubPush | undefined {
  const id = repository?.id;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || typeof ref !== "string") return undefined;
  const installationId = installation?.id;
  return {
    repositoryId: String(id),
    installationId: typeof installationId === "number" ? installationId : undefined,
    ref,
    after: typeof after === "string" && /^(?!0{40})[0-9a-f]{40}$/.test(after) ? after : undefined,
  };
}
