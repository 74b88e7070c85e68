/**
 * Lets no command wait for a closed connection (mongodb 7.8.0).
 *
 * The driver waits for `drain` when a socket takes a command only in part, and also when the socket is already
 * destroyed, where neither `drain` nor `error` will ever come: between an engine's hanging up and the socket's
 * `close` event, a command would be written to it and waited for without end, whatever time limits are set.
 * `test/storage/closed-connection.test.ts` fails when the driver no longer needs this, or has moved what it rests on.
 */
import { Connection } from "mongodb/lib/cmap/connection.js";

let isDone = false;

/** For all connections of this process; a second call does nothing. */
export function endWaitingForClosedConnections(): void {
  if (isDone) return;
  isDone = true;
  const cleanup = Connection.prototype.cleanup;
  Connection.prototype.cleanup = function (error) {
    cleanup.call(this, error);
    // The driver looks at the connection's error after each write, so these only take it there.
    this.socket.write = () => true;
    this.socket.emit("drain");
  };
}
