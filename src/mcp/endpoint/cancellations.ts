/**
 * Calls that their callers can cancel by a request of its own, as clients of the protocol with `initialize` do. The
 * caller and the session of the client are part of the key, so that no client can cancel the calls of another.
 */
export interface Cancellations {
  /**
   * Cancels what the messages cancel. Returns a signal for their own calls, which is aborted with `end`, and when
   * another request of the client cancels one of them.
   */
  signalOf(client: string, messages: readonly unknown[], end: AbortSignal): AbortSignal;
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

  /** Registers calls until the returned function is called. */
  function register(client: string, messages: readonly unknown[], controller: AbortController): () => void {
    const ids = messages.flatMap((message) => {
      const id = idOf((message as Message | null)?.id);
      return id === undefined ? [] : [`${client} ${id}`];
    });
    for (const id of ids) running.set(id, controller);
    return () => {
      for (const id of ids) if (running.get(id) === controller) running.delete(id);
    };
  }

  function cancel(client: string, messages: readonly unknown[]): void {
    for (const message of messages) {
      const { method, params } = (message ?? {}) as Message;
      const id = method === "notifications/cancelled" ? idOf(params?.requestId) : undefined;
      if (id !== undefined) running.get(`${client} ${id}`)?.abort();
    }
  }

  return {
    signalOf(client, messages, end) {
      // One controller for both: `AbortSignal.any` takes longer.
      const ended = new AbortController();
      cancel(client, messages);
      const forget = register(client, messages, ended);
      const leave = () => {
        forget();
        ended.abort(end.reason);
      };
      end.addEventListener("abort", leave);
      if (end.aborted) leave();
      return ended.signal;
    },
  };
}
