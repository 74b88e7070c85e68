/** Rules for several messages in one request (a batch), as clients with `initialize` may send them. */
import { limits } from "../../../contract/limits.ts";
import { invalidRequest } from "../../errors.ts";
import type { Reply } from "../../http/route.ts";

const maxInBatch = 20;

/** `areLong`: results can be so large that one request may have one only. */
export function messagesOf(body: unknown, areLong: boolean): unknown[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  if (messages.length > maxInBatch)
    throw invalidRequest(`A batch may have ${maxInBatch} messages: send them one by one.`);
  if (areLong && messages.filter(isRequest).length > 1)
    throw invalidRequest("A batch may have one request here, besides notifications: send them one by one.");
  requireOwnIds(messages);
  return messages;
}

/** A client could not tell the responses to two requests with one id apart. */
function requireOwnIds(messages: readonly unknown[]): void {
  const ids = new Set<unknown>();
  for (const message of messages) {
    if (!isRequest(message)) continue;
    if (ids.has(message.id))
      throw invalidRequest("Two requests of the batch have the same id: give each an id of its own.");
    ids.add(message.id);
  }
}

const isRequest = (message: unknown): message is { id: unknown } =>
  typeof message === "object" && message !== null && "id" in message;

/** The results of a batch stay in memory until they are read, as one result does. */
export function boundBatch({ body }: Reply): void {
  if (typeof body !== "string" || body.length <= limits.mcpBatchCharacters) return;
  throw invalidRequest(
    `The results of this batch have more than ${limits.mcpBatchCharacters} characters: send its messages one by one.`,
  );
}
