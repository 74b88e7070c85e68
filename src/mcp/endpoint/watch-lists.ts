/** Compares the lists of an agent that waits for their changes. */
import { withinTime } from "../../../contract/concurrency/within-time.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import { unauthenticated } from "../../errors.ts";
import type { RequestInfo } from "../../http/route.ts";
import type { EventStream } from "../../http/service/event-streams.ts";
import type { Forwarder, ListMarks, WatchedList } from "../forwarding/forwarder.ts";

/** One request for a stream. */
export interface Listening {
  info: RequestInfo;
  actor: Actor;
  /** The caller as they are now. Throws if the credential is no longer valid. */
  authenticate(): Promise<Actor>;
}

interface Watched {
  lists: readonly WatchedList[];
  /** Marks of the lists that the caller has. */
  known: ListMarks;
  /** Called with the lists that have changed, and all marks, after each comparison. */
  compared(changed: WatchedList[], marks: ListMarks): void;
}

/** Compares lists until the stream is closed. Resolves when they are known. */
export async function watchLists(
  forwarder: Forwarder,
  { actor, authenticate }: Listening,
  { stream, end }: EventStream,
  { lists, known, compared }: Watched,
): Promise<void> {
  let last: ListMarks | undefined = known;
  let isKnown = () => {};
  const first = new Promise<void>((resolve) => (isKnown = resolve));
  const stop = await forwarder.watchLists({
    actor,
    lists,
    async authenticate() {
      const again = await authenticate();
      if (actorKey(again) !== actorKey(actor)) throw unauthenticated();
      return again;
    },
    compared(marks) {
      const before = last;
      last = marks;
      const changed = lists.filter((list) => !before || (before[list] ?? marks[list]) !== marks[list]);
      compared(changed, marks);
      isKnown();
    },
    ended: end,
  });
  stream.once("close", stop);
  if (stream.destroyed) return stop();
  stream.once("close", isKnown);
  const late = () => {
    if (last === known) last = undefined;
  };
  await withinTime(first, forwarder.knownMs, late, { ref: false });
}
