import type { NativeGit } from "../native-git.ts";
import { openSession, type Session } from "../transport/connect.ts";
import type { Remote } from "./types.ts";

export interface SessionLimits {
  maxBytes: number;
  signal?: AbortSignal;
  silenceMs?: number;
  requestMs?: number;
}

/** Runs one operation on a remote and closes its session. */
export type WithSession = <T>(
  remote: Remote,
  limits: SessionLimits,
  action: (session: Session) => Promise<T>,
) => Promise<T>;

export function newWithSession(defaults: {
  git: NativeGit;
  silenceMs: number;
  requestMs: number;
}): WithSession {
  return async (remote, limits, action) => {
    const session = await openSession(remote, { ...defaults, ...limits });
    try {
      return await action(session);
    } finally {
      await session.close();
    }
  };
}
