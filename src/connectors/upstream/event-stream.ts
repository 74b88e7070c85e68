/**
 * HTTP+SSE, the transport before Streamable HTTP: one stream has the results of all requests, and the changes of lists.
 * The library opens a stream that has ended again, as another session without the handshake that servers require, and
 * does not tell why a request has failed. Here the stream is opened once, and the cause is kept.
 */
import {
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  type AuthProvider,
  type FetchLike,
} from "@modelcontextprotocol/client";
import { limits } from "../../../contract/limits.ts";
import { RepoError } from "../../../repos/errors.ts";

export interface EventStream {
  transport: SSEClientTransport;
  /** Why the stream has failed, if it has, in place of an error that follows from that. */
  causeOf(error: unknown): unknown;
}

/** The requests and the stream. The bytes of the stream are bounded here: as many as a response, after each request. */
export function openEventStream(
  url: URL,
  { fetch, authProvider }: { fetch: FetchLike; authProvider: AuthProvider },
): EventStream {
  let failure: RepoError | undefined;
  let wasOpen = false;
  let bytes = 0;
  const count = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes > limits.connectorResponseBytes)
      throw new RepoError("remote_too_large", `${url.host} sends more than a response may have`);
  };
  const fail = (error: unknown): never => {
    if (error instanceof RepoError) failure ??= error;
    throw error;
  };
  const send: FetchLike = async (asked, init) => {
    bytes = 0;
    const response = await fetch(asked, init);
    const { status } = response;
    // The library answers 401 itself, and has no error with a status for others.
    if (status >= 400 && status !== 401)
      throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `status ${status}`, { status });
    return response;
  };
  const open: FetchLike = async (asked, init) => {
    if (wasOpen) throw new Error("the stream has ended");
    const response = await fetch(asked, init).catch(fail);
    const { status, headers } = response;
    if (status !== 200 || !response.body) return response;
    wasOpen = true;
    return new Response(watch(response.body, count, fail), { status, headers });
  };
  const transport = new SSEClientTransport(url, {
    authProvider,
    fetch: send,
    eventSourceInit: { fetch: open },
  });
  return { transport, causeOf: (error) => (isOfStream(error) ? (failure ?? error) : error) };
}

const isOfStream = (error: unknown) =>
  error instanceof SseError || (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed);

function watch(
  body: ReadableStream<Uint8Array>,
  count: (piece: Uint8Array) => void,
  fail: (error: unknown) => never,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        count(value);
        controller.enqueue(value);
      } catch (error) {
        void reader.cancel().catch(() => undefined);
        fail(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
