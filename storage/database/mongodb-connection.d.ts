/** Types of an internal class of the driver that `closed-connections.ts` needs; the driver has none for it. */
declare module "mongodb/lib/cmap/connection.js" {
  import type { Socket } from "node:net";

  export class Connection {
    readonly socket: Socket;
    /** Called with the reason when the socket closes or fails, and when the pool discards the connection. */
    cleanup(error: Error): void;
  }
}
