/**
 * Folds warnings about errors that repeat, as those of an engine that is away: the first is written, then how many
 * followed.
 */

/** Time in which a repetition is counted instead of written. */
export const foldMs = 60_000;
/** Different warnings that are remembered; any further one is always written. */
const maxKnown = 500;

type Fields = Record<string, unknown>;
type Write = (fields: Fields, message: string) => void;

interface Known {
  repeated: number;
  last: Fields;
}

/**
 * Returns a function that writes or counts a warning. Equal ones have the same message, and that of their error. One
 * without an error is about an act or a state, and always written.
 */
export function foldWarnings(): (fields: Fields, message: string, write: Write) => void {
  const known = new Map<string, Known>();
  return (fields, message, write) => {
    const { error } = fields;
    if (!(error instanceof Error)) return write(fields, message);
    const key = `${message}\n${error.message}`;
    const same = known.get(key);
    if (same) {
      same.repeated++;
      same.last = fields;
      return;
    }
    if (known.size < maxKnown) {
      known.set(key, { repeated: 0, last: fields });
      setTimeout(() => {
        const { repeated, last } = known.get(key)!;
        known.delete(key);
        if (repeated > 0) write({ ...last, repeated }, message);
      }, foldMs).unref();
    }
    write(fields, message);
  };
}
