/** The sign-in over the page: a session that ends in the middle of work does not cost what was typed. */

/** Id of the user that this tab was loaded for; undefined for a visitor. */
let userId: string | undefined;
let listener: ((answer: (isSignedIn: boolean) => void) => void) | undefined;
/** Concurrent requests wait for one dialog. */
let asking: Promise<boolean> | undefined;

export const isSignedIn = (): boolean => userId !== undefined;
export const isUser = (id: string): boolean => userId === id;

export function rememberUser(id: string | undefined): void {
  userId = id;
}

/** The shell shows the dialog, and calls `answer` when it is closed. */
export function onSignInNeeded(listen: (answer: (isSignedIn: boolean) => void) => void): () => void {
  listener = listen;
  return () => {
    listener = undefined;
  };
}

/** Asks the user to sign in. Resolves to whether they did; after a refusal the tab counts as a visitor's. */
export function signInAgain(): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => {
    if (listener) listener(resolve);
    else resolve(false);
  }).then((isDone) => {
    asking = undefined;
    if (!isDone) userId = undefined;
    return isDone;
  });
  return asking;
}
