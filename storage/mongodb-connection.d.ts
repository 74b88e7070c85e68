/** What `closed-connections.ts` needs of the driver's inner class; the driver ships no types for it. */
declare module "mongodb/lib/cmap/connection.js" {
  import type { Socket } from "node:net";

  export class Connection {
    readonly socket: Socket;
    /** Called with the reason when the socket closes or fails, and when the pool gives the connection up. */
    cleanup(error: Error): void;
  }
}
