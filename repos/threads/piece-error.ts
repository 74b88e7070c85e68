/**
 * Reason why a piece has no result. `time`, `memory`: it exceeded its limit. `caller-busy`, `busy`: too many pieces of
 * the caller, or of all, are waiting. `closed`: the pool is closed. `ended`: the thread ended for another reason.
 */
export class PieceError extends Error {
  override readonly name = "PieceError";
  readonly reason: "time" | "memory" | "caller-busy" | "busy" | "closed" | "ended";

  constructor(reason: PieceError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
