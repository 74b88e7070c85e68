/** A running engine, as its users see it. */
import type { EngineError } from "./engine-error.ts";

export interface EngineEvents {
  /** The engine ended unexpectedly; a new one is being started. */
  crash: [{ code: number | null; signal: string | null }];
  /** The engine responds again, in this process or in the one that now owns the folder. */
  restarted: [];
  /** It cannot be kept running, and is not restarted. */
  failed: [EngineError];
}

export interface EmbeddedEngine {
  /** Address for clients; stays the same over restarts. */
  readonly uri: string;
  /** Whether another process owns the engine. */
  readonly attached: boolean;
  /** The engine's process; undefined if it is attached or being restarted. */
  readonly pid: number | undefined;
  /**
   * Closes the engine: no new connections, current work finishes, checkpoint; killed after 8 s. Never ends the
   * engine of another process.
   */
  stop(): Promise<void>;
  on<E extends keyof EngineEvents>(event: E, listener: (...args: EngineEvents[E]) => void): unknown;
}
