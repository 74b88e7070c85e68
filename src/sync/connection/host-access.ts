/**
 * Access to a connection's host, which ends with the connection: nothing may reach the host after the response to a
 * disconnect. Work on a connection is registered in its document, as the lease of a sync or as a visit; the
 * connection's state is read before each request and each import, and every half second, so that a running request is
 * aborted; and a disconnect waits until no work is registered.
 */
import { RepoError } from "../../../repos/errors.ts";
import type { HostGuard } from "../../../repos/guard.ts";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import type { App } from "../../app.ts";
import { openHost, type HostFacts } from "./open-host.ts";

const watchMs = 500;
/** Maximum duration of a visit, after which it no longer counts, for visits of killed processes. */
const visitMs = 60_000;

export interface HostAccess extends HostGuard {
  /** Ends the access, as the state of the connection would. */
  end(): void;
  /** Stops watching. */
  close(): void;
}

/** Watches whether work on a connection may go on. */
export function watchAccess(isAllowed: () => Promise<boolean>): HostAccess {
  const ended = new AbortController();
  const end = () => ended.abort(new RepoError("connection_ended", "the connection was ended or taken over"));
  const look = async () => (await isAllowed()) || end();
  // If the database does not respond, `check` throws before the next request.
  const watch = setInterval(() => void look().catch(() => undefined), watchMs);
  return {
    signal: ended.signal,
    end,
    close: () => clearInterval(watch),
    async check() {
      ended.signal.throwIfAborted();
      await look();
      ended.signal.throwIfAborted();
    },
  };
}

/**
 * Sends requests to a connection's host outside of a sync. Throws `connection_ended` if the connection is ended before
 * or during them.
 */
export async function visitHost<T>(
  app: App,
  connection: HostFacts,
  ask: (host: RepositoryHost, guard: HostGuard) => Promise<T>,
): Promise<T> {
  const { connections } = app.storage;
  const { _id } = connection;
  const now = app.now();
  const visit = { id: app.newId(), until: new Date(now.getTime() + visitMs) };
  if (!(await connections.beginVisit(_id, visit, now)))
    throw new RepoError("connection_ended", "the connection is being ended");
  const access = watchAccess(() => connections.isAlive(_id));
  const late = setTimeout(access.end, visitMs);
  try {
    return await ask(await openHost(app, connection, access), access);
  } finally {
    clearTimeout(late);
    access.close();
    await connections.endVisit(_id, visit.id);
  }
}
