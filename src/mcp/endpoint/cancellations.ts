/**
 * Calls that their callers can cancel by a request of its own, as clients of the protocol with `initialize` do. The
 * caller and the session of the client are part of the key, so that no client can cancel the calls of another.
 */
export interface Cancellations {
  /** Remembers calls until the returned function is called. */
  register(key: string, messages: readonly unknown[], controller: AbortController): () => void;
  /** Cancels what the messages ask to cancel. */
  apply(key: string, messages: readonly unknown[]): void;
}

interface Message {
  id?: unknown;
  method?: unknown;
  params?: { requestId?: unknown };
}

const idOf = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? `${typeof value} ${value}` : undefined;

export function openCancellations(): Cancellations {
  const running = new Map<string, AbortController>();
  return {
    register(key, messages, controller) {
      const ids = messages.flatMap((message) => {
        const id = idOf((message as Message | null)?.id);
        return id === undefined ? [] : [`${key} ${id}`];
      });
      for (const id of ids) running.set(id, controller);
      return () => {
        for (const id of ids) if (running.get(id) === controller) running.delete(id);
      };
    },
    apply(key, messages) {
      for (const message of messages) {
        const { method, params } = (message ?? {}) as Message;
        const id = method === "notifications/cancelled" ? idOf(params?.requestId) : undefined;
        if (id !== undefined) running.get(`${key} ${id}`)?.abort();
      }
    },
  };
}
