/**
 * Prevents commands from waiting for a closed connection (mongodb 7.8.0).
 *
 * The driver waits for `drain` when a socket accepts a command only in part, and also when the socket is already
 * destroyed, which emits neither `drain` nor `error`. Between the end of the connection and the socket's `close` event,
 * a command would therefore wait forever, regardless of time limits. `test/storage/closed-connection.test.ts` fails
 * when the driver no longer needs this, or has changed the used internals.
 */
import { Connection } from "mongodb/lib/cmap/connection.js";

let isDone = false;

/** Applies to all connections of this process. A second call does nothing. */
export function endWaitingForClosedConnections(): void {
  if (isDone) return;
  isDone = true;
  const cleanup = Connection.prototype.cleanup;
  Connection.prototype.cleanup = function (error) {
    cleanup.call(this, error);
    // The driver checks the connection's error after each write: these calls only make it reach that check.
    this.socket.write = () => true;
    this.socket.emit("drain");
  };
}
