/**
 * A response whose body has arrived as a whole: it is read once, by `text` or `json`, and has no stream. The streams of
 * `Response` take longer than everything else that is done with a short response.
 */
export class BytesResponse extends Response {
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array, init: ResponseInit) {
    super(null, init);
    this.#bytes = bytes;
  }

  override readonly text = async (): Promise<string> => {
    if (!this.#bytes) throw new TypeError("The body was read before.");
    const text = new TextDecoder().decode(this.#bytes);
    this.#bytes = undefined;
    return text;
  };

  override readonly json = async (): Promise<unknown> => JSON.parse(await this.text());
}
