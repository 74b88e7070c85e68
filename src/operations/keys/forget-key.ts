import type { Stores } from "../../app.ts";
import { countSealed } from "./count-sealed.ts";

/** Lets processes start without a key that is lost. Returns the number of secrets that can't be read any more. */
export async function forgetKey(app: Stores, id: string): Promise<number> {
  const { keyRing } = app.storage;
  const stored = await keyRing.find();
  if (!stored?.keys.some((key) => key.id === id))
    throw new Error(`The service has no key "${id}". npm start -- doctor lists its keys.`);
  const keys = stored.keys.filter((key) => key.id !== id);
  const current = stored.current === id ? (keys[0]?.id ?? "") : stored.current;
  if (!(await keyRing.replace(stored.revision, { current, keys })))
    throw new Error("The keys were changed by another process: try again.");
  return countSealed(app, id);
}
