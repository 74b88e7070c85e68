/** State of an app in this process, such as a cache or a pool. It is made at the first use and dropped with the app. */
import type { App } from "./app.ts";

/** Returns a function that returns the app's state, which `create` makes once for each app. */
export function perApp<T extends object>(create: (app: App) => T): (app: App) => T {
  const states = new WeakMap<App, T>();
  return (app) => {
    let state = states.get(app);
    if (!state) states.set(app, (state = create(app)));
    return state;
  };
}
