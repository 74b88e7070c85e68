/** Questions to the user in the middle of a request, which continues with the answer. */

export interface Question {
  /** The part of the shell that shows the dialog, and calls `answer` when it is closed. */
  listen(show: (answer: (isDone: boolean) => void) => void): () => void;
  /** Asks. Concurrent requests wait for one dialog. Resolves to false if nothing shows it. */
  ask(): Promise<boolean>;
}

export function question(): Question {
  let shown: ((answer: (isDone: boolean) => void) => void) | undefined;
  let asking: Promise<boolean> | undefined;
  return {
    listen(show) {
      shown = show;
      return () => {
        shown = undefined;
      };
    },
    ask() {
      asking ??= new Promise<boolean>((resolve) => {
        if (shown) shown(resolve);
        else resolve(false);
      }).then((isDone) => {
        asking = undefined;
        return isDone;
      });
      return asking;
    },
  };
}
