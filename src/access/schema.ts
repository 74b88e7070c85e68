import { z } from "zod";

/** Actions by permission group, as given in a call. Groups without actions are omitted, since they allow nothing. */
export function permissionMap(allowed: Readonly<Record<string, readonly string[]>>) {
  return z
    .strictObject(
      Object.fromEntries(
        Object.entries(allowed).map(([group, actions]) => [
          group,
          z
            .array(z.enum(actions))
            .max(actions.length * 2)
            .overwrite((given) => [...new Set(given)])
            .optional(),
        ]),
      ),
    )
    .transform((given) => {
      const named: Record<string, string[]> = {};
      for (const [group, actions] of Object.entries(given)) {
        if (actions && actions.length > 0) named[group] = actions;
      }
      return named;
    });
}
